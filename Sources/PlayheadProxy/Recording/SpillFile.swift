import NIOCore
import PlayheadCassette

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A temporary file without a name: it is gone with its descriptor, whatever ends the process.
///
/// `@unchecked Sendable`: written by one event loop, then read by one thread after the loop is done with it.
final class SpillFile: @unchecked Sendable {
    /// The reason why the file could not be made, written or read, as `errno` says it.
    struct Failure: Error, CustomStringConvertible {
        var code: Int32
        var description: String { String(cString: strerror(self.code)) }
        /// With the way out.
        var advice: String { "a temporary file failed: \(self); make room in TMPDIR, or set it to another folder" }
    }

    private let descriptor: Int32
    /// What spills is not redacted yet, so it never reaches the disk in clear.
    private let cipher = SpillCipher()

    init() throws(Failure) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/playhead-spill.XXXXXX".utf8CString)
        self.descriptor = mkstemp(&template)
        guard self.descriptor >= 0 else { throw Failure(code: errno) }
        unlink(template)
        _ = fcntl(self.descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// A number that no other open spill file of the process has.
    var number: Int32 { self.descriptor }

    deinit { close(self.descriptor) }

    func append(_ octets: ByteBuffer) throws(Failure) {
        var rest = self.cipher.apply(octets)
        while rest.readableBytes > 0 {
            let written = rest.withUnsafeReadableBytes { write(self.descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                if errno == EINTR { continue }
                throw Failure(code: errno)
            }
            rest.moveReaderIndex(forwardBy: written)
        }
    }

    /// Reads from the start, at most `limit` octets.
    func read(limit: Int) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        try self.forEachPiece(limit: limit) { buffer.writeImmutableBuffer($0) }
        return buffer
    }

    /// Reads the content in order; one thread at a time.
    func reader() -> Reader { Reader(self, self.cipher.fromStart()) }

    /// A reader that is at some place of the content.
    ///
    /// `@unchecked Sendable`: `SpilledBody` asks for the next piece only after it got the last one, so one thread at a time
    /// uses it.
    final class Reader: @unchecked Sendable {
        private let file: SpillFile
        private let cipher: SpillCipher
        private var offset = 0

        fileprivate init(_ file: SpillFile, _ cipher: SpillCipher) {
            self.file = file
            self.cipher = cipher
        }

        /// The next octets, at most `limit`; none at the end.
        func next(_ limit: Int) throws(Failure) -> ByteBuffer {
            var piece = ByteBuffer()
            var failure: Int32?
            let count = piece.writeWithUnsafeMutableBytes(minimumWritableBytes: limit) { space in
                while true {
                    let count = pread(self.file.descriptor, space.baseAddress, limit, off_t(self.offset))
                    if count >= 0 { return count }
                    guard errno == EINTR else {
                        failure = errno
                        return 0
                    }
                }
            }
            if let failure { throw Failure(code: failure) }
            self.offset += count
            return self.cipher.apply(piece)
        }
    }

    /// Calls `body` with pieces of the content, from the start.
    func forEachPiece(limit: Int = .max, _ body: (ByteBuffer) throws -> Void) throws {
        let reader = self.reader()
        var left = limit
        while left > 0 {
            let piece = try reader.next(min(1 << 20, left))
            if piece.readableBytes == 0 { return }
            left -= piece.readableBytes
            try body(piece)
        }
    }
}
