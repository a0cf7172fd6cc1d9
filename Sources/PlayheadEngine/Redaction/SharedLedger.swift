import Synchronization

/// The numbers of the secrets of one open cassette, for exchanges that are redacted at the same time.
///
/// Its lock is held for one number at a time, so nobody waits while a big body is searched.
public final class SharedLedger: Sendable {
    private let ledger: Mutex<RedactionLedger>

    /// Shares a ledger.
    public init(_ ledger: RedactionLedger = RedactionLedger()) { self.ledger = Mutex(ledger) }

    /// The numbers as they are now.
    public var current: RedactionLedger { self.ledger.withLock { $0 } }

    func number(of secret: some Sequence<UInt8>, rule: String) -> Int {
        self.ledger.withLock { $0.number(of: secret, rule: rule) }
    }
}
