import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file; closed with its last reference.
final class OpenFile {
    /// The path, for messages.
    let path: String
    let descriptor: Int32

    init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(self.descriptor) }

    /// The status of the file.
    func status() throws(CassetteError) -> stat {
        var status = stat()
        guard fstat(self.descriptor, &status) == 0 else {
            throw CassetteError(.unreadable, "the file cannot be looked at: \(systemMessage(errno))", file: self.path)
        }
        return status
    }

    /// Refuses pipes, devices, folders and sockets.
    func requireRegular() throws(CassetteError) {
        guard try self.status().st_mode & S_IFMT == S_IFREG else {
            throw CassetteError(.unreadable, "this is not a regular file", file: self.path)
        }
    }

    /// The length in octets.
    func length() throws(CassetteError) -> Int { Int(try self.status().st_size) }

    /// Reads up to `count` octets from where the file stands; an empty result is the end.
    func read(upTo count: Int) throws(CassetteError) -> ByteBuffer {
        var buffer = ByteBuffer()
        var failure: Int32 = 0
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            while true {
                let got = systemRead(self.descriptor, space.baseAddress, count)
                if got >= 0 { return got }
                if errno == EINTR { continue }
                failure = errno
                return 0
            }
        }
        guard failure == 0 else {
            throw CassetteError(.unreadable, "the file cannot be read: \(systemMessage(failure))", file: self.path)
        }
        return buffer
    }

    /// Reads the whole file, refusing more than `limit` octets.
    func readAll(limit: Int) throws(CassetteError) -> ByteBuffer {
        let length = try self.length()
        guard length <= limit else {
            throw CassetteError(
                .tooLarge, "the file has \(length) octets and the limit is \(limit); raise the limit or split it",
                file: self.path)
        }
        var buffer = ByteBuffer()
        buffer.reserveCapacity(length + 1)
        while true {
            var failure: Int32 = 0
            let got = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 4096) { space in
                let got = systemRead(self.descriptor, space.baseAddress, min(space.count, 1 << 30))
                if got < 0 { failure = errno }
                return max(got, 0)
            }
            if failure == EINTR { continue }
            guard failure == 0 else {
                throw CassetteError(.unreadable, "the file cannot be read: \(systemMessage(failure))", file: self.path)
            }
            if got == 0 { return buffer }
            guard buffer.readableBytes <= limit else {
                throw CassetteError(.tooLarge, "the file grows beyond the limit of \(limit) octets", file: self.path)
            }
        }
    }

    /// Writes all octets at the end of what was written.
    func write(_ bytes: UnsafeRawBufferPointer) throws(CassetteError) {
        var done = 0
        while done < bytes.count {
            let got = systemWrite(
                self.descriptor, bytes.baseAddress?.advanced(by: done), min(bytes.count - done, 1 << 30))
            if got > 0 {
                done += got
            } else if got == 0 || errno != EINTR {
                throw CassetteError(
                    .cannotWrite, "the disk did not take the octets: \(systemMessage(got == 0 ? ENOSPC : errno))",
                    file: self.path)
            }
        }
    }

    /// Waits until the octets are on the disk; a failure is final, since the system may drop the pages (fsync(2)).
    func sync() throws(CassetteError) {
        guard fsync(self.descriptor) == 0 else {
            throw CassetteError(
                .cannotWrite, "the disk did not confirm the octets: \(systemMessage(errno))", file: self.path)
        }
    }

    /// Goes back to the start.
    func rewind() { self.seek(0) }

    /// Goes to an octet.
    func seek(_ offset: Int) { lseek(self.descriptor, off_t(offset), SEEK_SET) }
}

/// `read(2)`, under a name that no method hides.
func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

/// `write(2)`, under a name that no method hides.
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

extension OpenFile {
    /// Writes the readable octets at the end of what was written.
    func write(_ buffer: ByteBuffer) throws(CassetteError) {
        let outcome = buffer.withUnsafeReadableBytes { bytes -> Result<Void, CassetteError> in
            do throws(CassetteError) {
                try self.write(bytes)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }
}
