#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Small whole-file operations on paths.
enum FileAccess {
    /// The bytes of a regular file, or nil when it cannot be read or is larger than 64 MiB.
    static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size <= 64 << 20 else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = retryingInterrupts {
                buffer.withUnsafeMutableBytes { Self.systemRead(file, $0.baseAddress, $0.count) }
            }
            if count < 0 { return nil }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    /// The text of a file, or nil when it cannot be read.
    static func text(_ path: String) -> String? {
        read(path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Puts a file in place by temporary file and rename, so that no reader sees half of it.
    static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) throws(TrustError) {
        let temporary = "\(path).new-\(getpid())"
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard file >= 0 else { throw cannotWrite(path) }
        var complete = fchmod(file, mode) == 0
        var done = 0
        while complete && done < bytes.count {
            let count = retryingInterrupts {
                bytes.withUnsafeBytes { Self.systemWrite(file, $0.baseAddress.map { $0 + done }, $0.count - done) }
            }
            if count < 0 { complete = false } else { done += count }
        }
        guard complete else {
            let error = cannotWrite(path)
            close(file)
            unlink(temporary)
            throw error
        }
        guard close(file) == 0, rename(temporary, path) == 0 else {
            let error = cannotWrite(path)
            unlink(temporary)
            throw error
        }
    }

    /// Creates a folder and the folders above it; others may read and enter it, whatever the umask.
    static func createFolder(_ path: String) throws(TrustError) {
        if isFolder(path) { return }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try createFolder(String(path[..<slash]))
        }
        guard mkdir(path, 0o755) == 0 else {
            if errno == EEXIST && isFolder(path) { return }
            throw cannotWrite(path)
        }
        chmod(path, 0o755)
    }

    /// A new folder that only this user can enter.
    static func createTemporaryFolder(environment: [String: String]) throws(TrustError) -> String {
        var base = environment["TMPDIR"] ?? ""
        if !base.hasPrefix("/") { base = "/tmp" }
        var template = Array((base + "/playhead-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw cannotWrite(base) }
        return String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes a file and the folder that held nothing else.
    static func remove(_ file: String, andFolder folder: String) {
        unlink(file)
        rmdir(folder)
    }

    /// The names in a folder, sorted; empty when it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Whether the path leads to a folder.
    static func isFolder(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether the path leads to anything.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether this process may write to the path.
    static func isWritable(_ path: String) -> Bool { access(path, W_OK) == 0 }

    /// Whether the path leads to a regular file that this process may run.
    static func isExecutable(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// The path with every link followed, or nil when it leads nowhere.
    static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// What a symbolic link says; nil when the path is none.
    static func link(at path: String) -> String? {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &text, text.count)
        guard count > 0, count < text.count else { return nil }
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Creates a symbolic link.
    static func createLink(at path: String, to end: String) throws(TrustError) {
        guard symlink(end, path) == 0 else { throw cannotWrite(path) }
    }

    private static func cannotWrite(_ path: String) -> TrustError {
        TrustError(
            errno == EACCES || errno == EPERM ? .denied : .cannotWrite,
            "cannot write \(path): \(errorText(errno)); choose a folder that you may write to")
    }

    private static func systemRead(_ file: Int32, _ base: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        guard let base else { return 0 }
        #if canImport(Darwin)
            return Darwin.read(file, base, count)
        #elseif canImport(Musl)
            return Musl.read(file, base, count)
        #else
            return Glibc.read(file, base, count)
        #endif
    }

    private static func systemWrite(_ file: Int32, _ base: UnsafeRawPointer?, _ count: Int) -> Int {
        guard let base else { return 0 }
        #if canImport(Darwin)
            return Darwin.write(file, base, count)
        #elseif canImport(Musl)
            return Musl.write(file, base, count)
        #else
            return Glibc.write(file, base, count)
        #endif
    }
}
