import PlayheadTLS
import Synchronization

/// Whom we trust upstream: a TLS context that is made when it is first asked for, once.
final class UpstreamTrust: Sendable {
    private let made = Mutex<TLSClientContext?>(nil)
    private let make: @Sendable () throws -> TLSClientContext

    init(_ make: @escaping @Sendable () throws -> TLSClientContext) { self.make = make }

    /// - Throws: `TLSError` when a certificate file cannot be used.
    func context() throws -> TLSClientContext {
        try self.made.withLock { made in
            if let made { return made }
            let context = try self.make()
            made = context
            return context
        }
    }
}
