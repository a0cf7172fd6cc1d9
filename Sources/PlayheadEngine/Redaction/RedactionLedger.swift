public import NIOCore
public import PlayheadCassette

/// The numbers of the secrets of one cassette: the same secret gets the same number.
///
/// Holds digests, not secrets. When a session continues a cassette, numbering goes on behind the numbers already used.
public struct RedactionLedger: Sendable, Equatable {
    /// 128 bits over a secret; not reversible in practice and never written anywhere.
    private struct Digest: Sendable, Hashable {
        var high: UInt64
        var low: UInt64
    }

    private var numbers: [Digest: Int] = [:]
    /// The number the next unknown secret gets.
    public private(set) var next: Int
    /// How often each rule found something; over-redaction shows here.
    public private(set) var findings: [String: Int] = [:]

    /// Creates a ledger for a new cassette.
    public init() { self.next = 1 }

    /// Creates a ledger that continues a cassette.
    public init(continuing exchanges: some Sequence<Exchange>) {
        self.init()
        for exchange in exchanges {
            PlaceholderWalk.visit(exchange) { self.goOn(behind: $0) }
        }
    }

    /// Goes on behind the numbers that a text has, as the content of a side file.
    public mutating func goOn(behind text: ByteBuffer) { self.goOn(behind: Octets(text.readableBytesView)) }

    private mutating func goOn(behind octets: Octets) {
        for range in Placeholder.ranges(in: octets) {
            if let number = Placeholder.number(of: octets[range]), number >= self.next, number < Int.max {
                self.next = number + 1
            }
        }
    }

    /// The number of a secret; a new one if it was not seen before.
    mutating func number(of secret: some Sequence<UInt8>, rule: String) -> Int {
        self.findings[rule, default: 0] += 1
        let octets = Octets(secret)
        var other = KeyHash()
        other.add(octets.count)
        for octet in octets.reversed() { other.mix(UInt64(octet)) }
        let digest = Digest(high: KeyHash.of(octets), low: other.value)
        if let known = self.numbers[digest] { return known }
        defer { self.next += 1 }
        self.numbers[digest] = self.next
        return self.next
    }
}
