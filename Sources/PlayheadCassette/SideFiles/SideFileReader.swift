public import NIOCore

/// Reads a side file and makes sure that it is what the cassette says.
///
/// Only a regular file inside the body folder is opened; length is checked when it is opened, the hash when the last
/// octet was read.
public final class SideFileReader {
    /// What is read.
    public let reference: SideFileReference

    private let file: OpenFile
    private var digest = SHA256Digest()
    private var left: Int

    /// Opens the file.
    public init(_ location: CassetteLocation, _ reference: SideFileReference) throws(CassetteError) {
        guard reference.isWellFormed else {
            throw CassetteError(
                .illegalName, "'\(reference.name)' is not the name of a side file", file: location.file)
        }
        guard let parent = try location.openParent(creating: false),
            let folder = try parent.subfolder(location.bodiesName, creating: false),
            let file = try folder.openToRead(reference.name)
        else {
            throw CassetteError(
                .sideFile, "the side file is missing; restore it or record the exchange again",
                file: "\(location.bodiesFolder)/\(reference.name)")
        }
        let length = try file.length()
        guard length == reference.length else {
            throw CassetteError(
                .sideFile, "the side file has \(length) octets and the cassette says \(reference.length)",
                file: file.path)
        }
        self.reference = reference
        self.file = file
        self.left = reference.length
    }

    /// The next octets, at most `count`; nil at the end.
    ///
    /// Throws with the last piece, not after it, if the content is not what the hash says.
    public func read(upTo count: Int = 256 << 10) throws(CassetteError) -> ByteBuffer? {
        guard self.left > 0 else {
            if self.reference.length == 0 { try self.verifyHash() }
            return nil
        }
        let piece = try self.file.read(upTo: min(max(count, 1), self.left))
        guard piece.readableBytes > 0 else {
            throw CassetteError(.sideFile, "the side file was cut off while it was read", file: self.file.path)
        }
        piece.withUnsafeReadableBytes { self.digest.update($0) }
        self.left -= piece.readableBytes
        if self.left == 0 { try self.verifyHash() }
        return piece
    }

    /// Reads the whole file once to check its hash, then goes back to the start.
    public func verify() throws(CassetteError) {
        self.restart()
        while try self.read() != nil {}
        self.restart()
    }

    private func restart() {
        self.file.rewind()
        self.left = self.reference.length
        self.digest = SHA256Digest()
    }

    private func verifyHash() throws(CassetteError) {
        guard self.digest.finish() == self.reference.sha256 else {
            throw CassetteError(
                .sideFile, "the side file is not what was recorded: its SHA-256 is another one", file: self.file.path)
        }
    }
}

extension RecordedBody {
    /// The octets of the body, read from its side file if it has one; at most `limit` octets, by default 1 GiB.
    public func octets(at location: CassetteLocation, limit: Int = 1 << 30) throws(CassetteError) -> ByteBuffer {
        switch self.content {
        case .none: return ByteBuffer()
        case .octets(let octets): return octets
        case .file(let reference):
            guard reference.length <= limit else {
                throw CassetteError(
                    .tooLarge, "the body has \(reference.length) octets and the limit is \(limit)",
                    file: "\(location.bodiesFolder)/\(reference.name)")
            }
            let reader = try SideFileReader(location, reference)
            var octets = ByteBuffer()
            octets.reserveCapacity(reference.length)
            while var piece = try reader.read() { octets.writeBuffer(&piece) }
            return octets
        }
    }
}
