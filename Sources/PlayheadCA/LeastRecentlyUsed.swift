/// A table of bounded size that forgets the entry that was not asked for longest; every operation takes constant time.
struct LeastRecentlyUsed<Key: Hashable, Value> {
    private struct Slot {
        var key: Key
        var value: Value
        var older: Int
        var newer: Int
    }

    /// The index that stands for no slot.
    private static var none: Int { -1 }

    private let capacity: Int
    private var index: [Key: Int] = [:]
    private var slots: [Slot] = []
    private var newest = LeastRecentlyUsed.none
    private var oldest = LeastRecentlyUsed.none

    init(capacity: Int) { self.capacity = max(1, capacity) }

    var count: Int { slots.count }

    /// The value of a key, which becomes the newest.
    mutating func value(for key: Key) -> Value? {
        guard let slot = index[key] else { return nil }
        touch(slot)
        return slots[slot].value
    }

    /// Sets the value of a key, which becomes the newest; the oldest makes room for it.
    mutating func insert(_ value: Value, for key: Key) {
        if let slot = index[key] {
            slots[slot].value = value
            touch(slot)
            return
        }
        let slot: Int
        if slots.count < capacity {
            slot = slots.count
            slots.append(Slot(key: key, value: value, older: Self.none, newer: Self.none))
        } else {
            slot = oldest
            unlink(slot)
            index[slots[slot].key] = nil
            slots[slot].key = key
            slots[slot].value = value
        }
        index[key] = slot
        linkAsNewest(slot)
    }

    private mutating func touch(_ slot: Int) {
        guard slot != newest else { return }
        unlink(slot)
        linkAsNewest(slot)
    }

    private mutating func unlink(_ slot: Int) {
        let (older, newer) = (slots[slot].older, slots[slot].newer)
        if older == Self.none { oldest = newer } else { slots[older].newer = newer }
        if newer == Self.none { newest = older } else { slots[newer].older = older }
    }

    private mutating func linkAsNewest(_ slot: Int) {
        slots[slot].older = newest
        slots[slot].newer = Self.none
        if newest != Self.none { slots[newest].newer = slot }
        newest = slot
        if oldest == Self.none { oldest = slot }
    }
}
