import NIOCore
import PlayheadCassette
import PlayheadEngine

/// A request body that is needed whole: the octets up to a bound; beyond it their SHA-256, and a spill file if they may
/// have to be sent on.
final class BodyCollector {
    /// The bound in octets.
    static let limit = 16 * 1024 * 1024

    /// What was collected, to be sent on.
    enum Content {
        case octets(ByteBuffer)
        case file(SpillFile)
        /// It is too large for memory and the disk did not take it.
        case lost(String)
    }

    private var held = ByteBuffer()
    private var digest: SHA256Digest?
    private var file: SpillFile?
    private var loss: String?
    private var count = 0
    private let spills: Bool
    private let limit: Int

    /// - Parameter spills: whether a body over the bound is kept in a file.
    init(spills: Bool, limit: Int = BodyCollector.limit) {
        self.spills = spills
        self.limit = limit
    }

    /// What came so far, if memory holds all of it.
    var octets: ByteBuffer? { self.digest == nil ? self.held : nil }

    /// What was collected.
    var content: Content {
        if let loss = self.loss { return .lost(loss) }
        return self.file.map { .file($0) } ?? .octets(self.held)
    }

    func append(_ piece: ByteBuffer) {
        self.count += piece.readableBytes
        if self.count <= self.limit {
            self.held.writeImmutableBuffer(piece)
            return
        }
        if self.digest == nil {
            self.digest = SHA256Digest()
            self.add(self.held)
            self.held = ByteBuffer()
        }
        self.add(piece)
    }

    /// What matching compares.
    func finish() -> IncomingBody {
        if let digest = self.digest { return .hashed(sha256: digest.finish(), length: self.count) }
        return self.held.readableBytes > 0 ? .octets(self.held) : .none
    }

    private func add(_ piece: ByteBuffer) {
        piece.withUnsafeReadableBytes { self.digest?.update($0) }
        guard self.spills, self.loss == nil else { return }
        do {
            let file = try self.file ?? SpillFile()
            self.file = file
            try file.append(piece)
        } catch {
            self.file = nil
            self.loss = "\(error)"
        }
    }
}

@available(*, unavailable)
extension BodyCollector: Sendable {}
