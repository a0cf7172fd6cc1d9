import Testing

@testable import PlayheadEngine

@Suite struct HashSlotsTests {
    /// Held against a dictionary; few different hashes, so that they meet again, and lie close to each other.
    @Test(arguments: [0, 1, 8, 1000])
    func givesWhatADictionaryGives(capacity: Int) {
        var slots = HashSlots(capacity: capacity)
        var dictionary: [UInt64: Int32] = [:]
        var random = SystemRandomNumberGenerator()
        for number in Int32(0)..<2000 {
            let hash = UInt64.random(in: 0..<500, using: &random) &* (number.isMultiple(of: 2) ? 1 : 0x1_0000_0000)
            slots.set(hash, to: number)
            dictionary[hash] = number
        }
        #expect(slots.count == dictionary.count)
        for (hash, number) in dictionary { #expect(slots[hash] == number) }
        for hash in UInt64(500)..<1000 { #expect(slots[hash] == dictionary[hash]) }
    }

    @Test func anEmptyOneHoldsNothing() {
        let slots = HashSlots()
        #expect(slots.count == 0)
        for hash in [0, 1, UInt64.max] { #expect(slots[hash] == nil) }
    }

    /// Hashes that would all begin at one slot if the seed were known lie apart under another.
    @Test func holdsHashesThatBeginAtOneSlot() {
        let crowded = (UInt64(0)..<200_000).filter { KeyHash.spread($0) & 0xFFF == 0 }
        var slots = HashSlots(capacity: 1, seed: 0)
        for (number, hash) in crowded.enumerated() { slots.set(hash, to: Int32(number)) }
        #expect(slots.count == crowded.count && crowded.count > 20)
        for (number, hash) in crowded.enumerated() { #expect(slots[hash] == Int32(number)) }
    }
}
