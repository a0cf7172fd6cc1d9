/// A table from hashes to small numbers, in one piece of memory.
///
/// A look-up takes one step to memory where a dictionary takes three, and in a big cassette these steps are what a
/// look-up costs.
struct HashSlots: Sendable {
    private struct Slot {
        var hash: UInt64
        /// -1 where the slot is empty.
        var number: Int32
    }

    private var slots: [Slot]
    /// Chosen anew in each process, so that nobody can make up hashes that all begin at one slot.
    private let seed: UInt64
    private(set) var count = 0

    /// - Parameters:
    ///   - capacity: how many hashes it will hold; with more it grows.
    ///   - seed: what decides where hashes lie.
    init(capacity: Int = 0, seed: UInt64 = .random(in: .min ... .max)) {
        self.seed = seed
        self.slots = Self.empty(capacity)
    }

    /// The number of a hash.
    @inline(__always)
    subscript(hash: UInt64) -> Int32? {
        let slot = self.slots[self.place(of: hash)]
        return slot.number < 0 ? nil : slot.number
    }

    /// Gives a hash a number of 0 or more, in place of the one it had.
    mutating func set(_ hash: UInt64, to number: Int32) {
        if (self.count + 1) * 2 > self.slots.count { self.grow() }
        let place = self.place(of: hash)
        if self.slots[place].number < 0 { self.count += 1 }
        self.slots[place] = Slot(hash: hash, number: number)
    }

    /// Where a hash lies, or the empty slot where it would; half of the slots are empty, so there is one.
    @inline(__always)
    private func place(of hash: UInt64) -> Int {
        let mask = self.slots.count &- 1
        var place = Int(truncatingIfNeeded: KeyHash.spread(hash ^ self.seed)) & mask
        while self.slots[place].number >= 0, self.slots[place].hash != hash { place = (place &+ 1) & mask }
        return place
    }

    private mutating func grow() {
        let old = self.slots
        self.slots = Self.empty(old.count)
        for slot in old where slot.number >= 0 { self.slots[self.place(of: slot.hash)] = slot }
    }

    /// Slots for `capacity` hashes: a power of two, of which half stay empty.
    private static func empty(_ capacity: Int) -> [Slot] {
        var count = 16
        while count < capacity * 2 { count *= 2 }
        return Array(repeating: Slot(hash: 0, number: -1), count: count)
    }
}
