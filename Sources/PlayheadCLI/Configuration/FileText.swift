#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Small whole files.
enum FileText {
    /// The words for the last failed call on this thread.
    static var lastError: String { String(cString: strerror(errno)) }

    /// The octets of a regular file of at most 16 MiB, or nil with `errno` set.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { return nil }
        guard info.st_mode & S_IFMT == S_IFREG, info.st_size <= 16 << 20 else {
            errno = EINVAL
            return nil
        }
        var octets = [UInt8](repeating: 0, count: Int(info.st_size))
        var filled = 0
        while filled < octets.count {
            let count = octets.withUnsafeMutableBytes { Self.posixRead(descriptor, $0, from: filled) }
            if count < 0, errno == EINTR { continue }
            if count < 0 { return nil }
            if count == 0 { break }
            filled += count
        }
        return Array(octets[..<filled])
    }

    /// Replaces a file as a whole; readers see the old text or the new one.
    static func replace(_ path: String, with text: String) throws(CommandFailure) {
        try Self.replace(path, with: Array(text.utf8))
    }

    /// Replaces a file as a whole; readers see the old octets or the new ones.
    static func replace(_ path: String, with octets: [UInt8], mode: mode_t = 0o644) throws(CommandFailure) {
        let temporary = "\(path).\(getpid()).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else {
            throw CommandFailure(.system(.cannotWrite), "\(path) cannot be written: \(Self.lastError).")
        }
        let count = octets.withUnsafeBytes { Self.posixWrite(descriptor, $0) }
        let ok = count == octets.count && close(descriptor) == 0 && rename(temporary, path) == 0
        guard ok else {
            let (code, reason) = (CommandFailure.Code.system(.cannotWrite), Self.lastError)
            unlink(temporary)
            throw CommandFailure(code, "\(path) cannot be written: \(reason).")
        }
    }

    /// Adds text at a file's end.
    static func append(_ text: String, to path: String) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandFailure(.system(.cannotWrite), "\(path) cannot be written: \(Self.lastError).")
        }
        defer { close(descriptor) }
        let octets = Array(text.utf8)
        guard octets.withUnsafeBytes({ Self.posixWrite(descriptor, $0) }) == octets.count else {
            throw CommandFailure(.system(.cannotWrite), "\(path) cannot be written: \(Self.lastError).")
        }
    }

    private static func posixRead(_ descriptor: Int32, _ space: UnsafeMutableRawBufferPointer, from: Int) -> Int {
        guard let base = space.baseAddress else { return 0 }
        #if canImport(Glibc)
            return Glibc.read(descriptor, base + from, space.count - from)
        #elseif canImport(Musl)
            return Musl.read(descriptor, base + from, space.count - from)
        #else
            return Darwin.read(descriptor, base + from, space.count - from)
        #endif
    }

    private static func posixWrite(_ descriptor: Int32, _ octets: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, octets.baseAddress, octets.count)
        #elseif canImport(Musl)
            Musl.write(descriptor, octets.baseAddress, octets.count)
        #else
            Darwin.write(descriptor, octets.baseAddress, octets.count)
        #endif
    }
}
