/// Whether a store trusts our CA.
public enum TrustState: Sendable, Equatable {
    /// It trusts this very certificate.
    case installed
    /// It could, and does not.
    case missing
    /// There is no such store here; the text says why, and what would bring it.
    case notPresent(String)
}

/// One kind of trust store.
///
/// A driver decides and never changes anything itself: it plans commands, so that `--dry-run` shows exactly what would run.
public protocol TrustStoreDriver: Sendable {
    /// The name that people and options use.
    var name: String { get }
    /// Whether the store trusts the certificate.
    func state(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> TrustState
    /// The commands that make the store trust the certificate; empty when nothing is to be done.
    func installation(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand]
    /// The commands that make the store forget the certificate; empty when it does not know it.
    func removal(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand]
}
