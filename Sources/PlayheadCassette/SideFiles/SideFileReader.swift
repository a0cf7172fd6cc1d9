public import NIOCore

/// Reads a side file and makes sure that it is what the cassette says.
///
/// Only a regular file inside the body folder is opened; length is checked when it is opened, the hash when the last
/// octet was read.
public final class SideFileReader {
    /// What is read.
    public let reference: SideFileReference

    private let file: OpenFile
    private let sealed: SealedFile?
    private var number: UInt64 = 0
    private var opened = ByteBuffer()
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
            let file = try folder.openToRead(location.diskName(reference))
        else {
            throw CassetteError(
                .sideFile, "the side file is missing; restore it or record the exchange again",
                file: "\(location.bodiesFolder)/\(reference.name)")
        }
        let length = try file.length()
        let wanted = location.key == nil ? reference.length : SealedFile.length(of: reference.length)
        guard length == wanted else {
            throw CassetteError(
                .sideFile, "the side file has \(length) octets and the cassette says \(reference.length)",
                file: file.path)
        }
        self.reference = reference
        self.file = file
        if let key = location.key {
            let start = try file.read(upTo: SealedFile.headerLength).readableBytesView
            self.sealed = try SealedFile(key, start: start, what: "the side file", file: file.path)
        } else {
            self.sealed = nil
        }
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
        let piece = try self.piece(upTo: min(max(count, 1), self.left))
        guard piece.readableBytes > 0 else {
            throw CassetteError(.sideFile, "the side file was cut off while it was read", file: self.file.path)
        }
        piece.withUnsafeReadableBytes { self.digest.update($0) }
        self.left -= piece.readableBytes
        if self.left == 0 { try self.verifyHash() }
        return piece
    }

    private func piece(upTo count: Int) throws(CassetteError) -> ByteBuffer {
        guard let sealed = self.sealed else { return try self.file.read(upTo: count) }
        if self.opened.readableBytes == 0 {
            let isLast = self.left <= SealedFile.segment
            let length = min(self.left, SealedFile.segment) + AESGCM.tagLength
            var segment = try self.file.read(upTo: length)
            while segment.readableBytes < length,
                case var more = try self.file.read(upTo: length - segment.readableBytes),
                more.readableBytes > 0
            {
                segment.writeBuffer(&more)
            }
            self.opened.clear()
            let isWhole = segment.withUnsafeReadableBytes {
                sealed.open($0, number: self.number, isLast: isLast, into: &self.opened)
            }
            guard isWhole else { throw SealedFile.changed("the side file", self.file.path) }
            self.number += 1
        }
        return self.opened.readSlice(length: min(count, self.opened.readableBytes)) ?? ByteBuffer()
    }

    /// Reads the whole file once to check its hash, then goes back to the start.
    public func verify() throws(CassetteError) {
        self.restart()
        while try self.read() != nil {}
        self.restart()
    }

    private func restart() {
        self.file.rewind()
        if self.sealed != nil { self.file.seek(SealedFile.headerLength) }
        self.number = 0
        self.opened.clear()
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
