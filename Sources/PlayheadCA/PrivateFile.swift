#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Files of the CA folder: created for their owner only, whole or not at all.
enum PrivateFile {
    /// No certificate or key file is larger.
    private static let largest = 1 << 20

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private static var reason: String { String(cString: strerror(errno)) }

    private static func cannotWrite(_ path: String) -> CAError {
        CAError(code: kind(.cannotWrite), message: "\(path) cannot be written: \(reason)")
    }

    /// The kind of a failed call: `denied` where the system refused it.
    private static func kind(_ kind: CAError.Code) -> CAError.Code {
        errno == EACCES || errno == EPERM ? .denied : kind
    }

    /// Removes a file, if it is there.
    static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw cannotWrite(path) }
        syncFolder(of: path)
    }

    /// Makes a folder and the folders above it with mode 0700; existing ones stay as they are.
    static func makeFolder(_ path: String) throws {
        var information = stat()
        if stat(path, &information) == 0 {
            guard information.st_mode & S_IFMT == S_IFDIR else {
                throw CAError(code: .cannotWrite, message: "\(path) is not a folder")
            }
            return
        }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try makeFolder(String(path[..<slash])) }
        guard path.last == "/" || mkdir(path, 0o700) == 0 || errno == EEXIST else { throw cannotWrite(path) }
    }

    /// Runs `body` while no other process or thread is in it; the lock file stays, since removing it would race.
    static func withLock<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw cannotWrite(path) }
        // Closing gives the lock back.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw cannotWrite(path) }
        }
        return try body()
    }

    /// Writes a file so that it is whole on the disk before it gets its name.
    static func write(_ octets: [UInt8], to path: String, mode: mode_t) throws {
        let temporary = "\(path).\(getpid()).new"
        // Under the lock a file of this name can only be a dead process's.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw cannotWrite(path) }
        do {
            defer { close(descriptor) }
            var offset = 0
            while offset < octets.count {
                let count = octets.withUnsafeBytes { bytes in
                    #if canImport(Darwin)
                        Darwin.write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
                    #elseif canImport(Musl)
                        Musl.write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
                    #else
                        Glibc.write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
                    #endif
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw cannotWrite(path) }
                offset += count
            }
            // The mode that was asked for, whatever the umask.
            guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else { throw cannotWrite(path) }
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, path) == 0 else {
            let error = cannotWrite(path)
            unlink(temporary)
            throw error
        }
        syncFolder(of: path)
    }

    /// Makes the new name survive a power cut, where the file system can.
    private static func syncFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Reads a file; a secret one only when nobody but its owner may.
    static func read(_ path: String, secret: Bool) throws -> [UInt8] {
        // Not to hang on a FIFO that somebody left in the place.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw CAError(code: kind(.notFound), message: "\(path) cannot be opened: \(reason)")
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw CAError(code: .invalid, message: "\(path) is not a regular file")
        }
        let mode = information.st_mode & 0o777
        if secret, mode & 0o077 != 0 {
            throw CAError(
                code: .keyReadableByOthers,
                message: "the private key \(path) is open to group or others (mode 0\(String(mode, radix: 8))): "
                    + "run chmod 600 \(path)")
        }
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            #if canImport(Darwin)
                let count = Darwin.read(descriptor, &chunk, chunk.count)
            #elseif canImport(Musl)
                let count = Musl.read(descriptor, &chunk, chunk.count)
            #else
                let count = Glibc.read(descriptor, &chunk, chunk.count)
            #endif
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CAError(code: kind(.notFound), message: "\(path) cannot be read: \(reason)")
            }
            if count == 0 { return octets }
            octets += chunk[..<count]
            guard octets.count <= largest else {
                throw CAError(code: .invalid, message: "\(path) is too large to be a certificate or key")
            }
        }
    }
}
