import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP

/// The octets of one body while it streams past: in memory up to a bound, then in an unlinked spill file.
///
/// The spill file has no name, so what is in it before redaction cannot be found by anyone, not even after a crash.
struct BodyCapture: Sendable {
    /// The bound of memory in octets.
    static let memoryLimit = 64 * 1024
    /// The bound of what is redacted, decoded or compared as a whole, in octets.
    static let wholeLimit = 64 * 1024 * 1024

    private var memory = ByteBuffer()
    private var spill: SpillFile?
    private var count = 0
    private var spillFailure: String?
    private let codings: [ContentCoding]
    private let keepsExactOctets: Bool

    init(headers: HeaderList) {
        let field = headers.members(of: "content-encoding").joined(separator: ",")
        self.codings = field.isEmpty ? [] : ContentCoding.list(fromHeader: field) ?? []
        // A digest or signature over the coded octets would be wrong for octets that are coded anew.
        self.keepsExactOctets = ["content-digest", "digest", "content-md5", "signature"].contains {
            headers.contains($0)
        }
    }

    /// Whether finishing may take long enough to belong on a thread.
    var isLarge: Bool { self.spill != nil || self.count > Self.memoryLimit }

    /// Why the disk did not take the whole body, if it did not.
    var loss: String? { self.spillFailure.map { "its body could not be kept: \($0)" } }

    /// What matching compares: the octets as sent, if they are in memory.
    var matchable: IncomingBody { self.memory.readableBytes > 0 ? .octets(self.memory) : .none }

    mutating func append(_ octets: ByteBuffer) {
        self.count += octets.readableBytes
        if self.spill == nil, self.count > Self.memoryLimit {
            do {
                let file = try SpillFile()
                try file.append(self.memory)
                self.spill = file
                self.memory = ByteBuffer()
            } catch {
                self.spillFailure = "\(error)"
            }
        }
        guard self.spillFailure == nil else { return }
        if let spill = self.spill {
            do { try spill.append(octets) } catch { self.spillFailure = "\(error)" }
        } else {
            var octets = octets
            self.memory.writeBuffer(&octets)
        }
    }

    mutating func discard() {
        self.memory = ByteBuffer()
        self.spill = nil
    }

    /// The body for the cassette, its codings taken off where they decode.
    ///
    /// - Parameters:
    ///   - keepsCoding: for a body that broke off: it cannot decode.
    ///   - store: puts a body that is too large for memory into a side file.
    func finish(
        keepsCoding: Bool = false, store: (SpillFile) throws -> SideFileReference
    ) -> RecordedBody {
        guard self.count > 0 else { return RecordedBody() }
        guard let spill = self.spill else {
            return self.recorded(self.memory, keepsCoding, isTruncated: self.spillFailure != nil)
        }
        do {
            if self.count > Self.wholeLimit, self.spillFailure == nil, try spill.looksBinary() {
                return RecordedBody(.file(try store(spill)))
            }
            // Text over the bound cannot be searched for secrets as a whole, so its rest is left out.
            let octets = try spill.read(limit: Self.wholeLimit)
            return self.recorded(
                octets, keepsCoding, isTruncated: self.spillFailure != nil || octets.readableBytes < self.count)
        } catch {
            return RecordedBody(.none, isTruncated: true)
        }
    }

    private func recorded(_ octets: ByteBuffer, _ keepsCoding: Bool, isTruncated: Bool) -> RecordedBody {
        if !self.codings.isEmpty, !keepsCoding, !self.keepsExactOctets, !isTruncated,
            let decoded = try? ContentDecoder.decode(octets, codings: self.codings, limit: Self.wholeLimit)
        {
            return RecordedBody(.octets(decoded), coding: self.codings.map(\.rawValue))
        }
        return RecordedBody(.octets(octets), isTruncated: isTruncated)
    }
}
