import NIOCore
import PlayheadCassette
import PlayheadEngine

/// A request body that is needed whole: the octets up to a bound, and their SHA-256 beyond it.
final class BodyCollector {
    /// The bound in octets.
    static let limit = 16 * 1024 * 1024

    /// The whole body, or nil if it went over the bound.
    private(set) var octets: ByteBuffer? = ByteBuffer()
    private var digest: SHA256Digest?
    private var count = 0

    func append(_ piece: ByteBuffer) {
        self.count += piece.readableBytes
        if self.count <= Self.limit {
            var piece = piece
            self.octets?.writeBuffer(&piece)
            return
        }
        if let held = self.octets {
            self.octets = nil
            let digest = SHA256Digest()
            held.withUnsafeReadableBytes { digest.update($0) }
            self.digest = digest
        }
        piece.withUnsafeReadableBytes { self.digest?.update($0) }
    }

    /// What matching compares.
    func finish() -> IncomingBody {
        if let digest = self.digest { return .hashed(sha256: digest.finish(), length: self.count) }
        guard let octets = self.octets, octets.readableBytes > 0 else { return .none }
        return .octets(octets)
    }
}
