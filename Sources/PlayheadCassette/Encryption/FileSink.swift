import NIOCore

/// Writes a file piece by piece, sealed if there is a key.
final class FileSink {
    private let file: OpenFile
    private let sealed: SealedFile?
    private var waiting = ByteBuffer()
    private var number: UInt64 = 0

    /// `salt` must never come twice with different octets; nil for a random one.
    init(_ file: OpenFile, key: CassetteKey?, salt: [UInt8]? = nil) throws(CassetteError) {
        self.file = file
        self.sealed = key.map { SealedFile($0, salt: salt ?? AESGCM.random(SealedFile.saltLength)) }
        if let sealed = self.sealed { try file.write(ByteBuffer(bytes: sealed.header)) }
    }

    func write(_ octets: ByteBuffer) throws(CassetteError) {
        guard self.sealed != nil else { return try self.file.write(octets) }
        self.waiting.writeImmutableBuffer(octets)
        // The last segment is known only at the end, so a whole one waits for what follows.
        while self.waiting.readableBytes > SealedFile.segment { try self.flush(SealedFile.segment, isLast: false) }
        self.waiting.discardReadBytes()
    }

    /// Writes what waits.
    func finish() throws(CassetteError) {
        if self.sealed != nil { try self.flush(self.waiting.readableBytes, isLast: true) }
    }

    private func flush(_ count: Int, isLast: Bool) throws(CassetteError) {
        guard let sealed = self.sealed, let piece = self.waiting.readSlice(length: count) else { return }
        var out = ByteBuffer()
        piece.withUnsafeReadableBytes { sealed.seal($0, number: self.number, isLast: isLast, into: &out) }
        self.number += 1
        try self.file.write(out)
    }
}
