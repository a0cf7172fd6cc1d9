#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open folder; names are looked up in it without following symbolic links.
final class Folder {
    /// The path, for messages.
    let path: String
    let descriptor: Int32

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(self.descriptor) }

    /// Opens the cassettes folder itself, whose path the user chose; nil if it is not there.
    static func root(_ path: String, creating: Bool) throws(CassetteError) -> Folder? {
        let path = path.isEmpty ? "." : path
        if creating { try self.createParents(path) }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 { return Folder(path: path, descriptor: descriptor) }
        if errno == ENOENT { return nil }
        throw CassetteError(
            .of(errno, .unreadable), "the cassettes folder cannot be opened: \(systemMessage(errno))", file: path)
    }

    private static func createParents(_ path: String) throws(CassetteError) {
        var current = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            current += current.isEmpty || current.hasSuffix("/") ? String(part) : "/\(part)"
            if mkdir(current, 0o777) != 0, errno != EEXIST, errno != EISDIR, errno != EROFS {
                throw CassetteError(
                    .of(errno, .cannotWrite), "the folder cannot be made: \(systemMessage(errno))", file: current)
            }
        }
    }

    /// Opens a folder in this one; nil if it is not there and is not to be created.
    func subfolder(_ name: String, creating: Bool) throws(CassetteError) -> Folder? {
        let path = "\(self.path)/\(name)"
        if creating, mkdirat(self.descriptor, name, 0o777) != 0, errno != EEXIST {
            throw CassetteError(
                .of(errno, .cannotWrite), "the folder cannot be made: \(systemMessage(errno))", file: path)
        }
        let descriptor = openat(self.descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor >= 0 { return Folder(path: path, descriptor: descriptor) }
        switch errno {
        case ENOENT: return nil
        case ELOOP, ENOTDIR:
            throw CassetteError(
                .unreadable, "this is a symbolic link or not a folder; cassettes stay inside their folder", file: path)
        default:
            throw CassetteError(
                .of(errno, .unreadable), "the folder cannot be opened: \(systemMessage(errno))", file: path)
        }
    }

    /// Opens a regular file for reading; nil if it is not there.
    func openToRead(_ name: String) throws(CassetteError) -> OpenFile? {
        let path = "\(self.path)/\(name)"
        // O_NONBLOCK: a FIFO must not stop us before its kind is known.
        let descriptor = openat(self.descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP:
                throw CassetteError(.unreadable, "this is a symbolic link; put the file itself here", file: path)
            case ENXIO: throw CassetteError(.unreadable, "this is not a regular file", file: path)
            default:
                throw CassetteError(
                    .of(errno, .unreadable), "the file cannot be opened: \(systemMessage(errno))", file: path)
            }
        }
        let file = OpenFile(path: path, descriptor: descriptor)
        try file.requireRegular()
        return file
    }

    /// Opens or creates a regular file for writing.
    func openToWrite(_ name: String, flags: Int32 = O_CREAT) throws(CassetteError) -> OpenFile {
        let path = "\(self.path)/\(name)"
        let descriptor = openat(
            self.descriptor, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, mode_t(0o666))
        guard descriptor >= 0 else {
            throw CassetteError(
                .of(errno, .cannotWrite), "the file cannot be written: \(systemMessage(errno))", file: path)
        }
        let file = OpenFile(path: path, descriptor: descriptor)
        try file.requireRegular()
        return file
    }

    /// Puts a file in the place of another, at once.
    func rename(_ source: String, to target: String) throws(CassetteError) {
        guard renameat(self.descriptor, source, self.descriptor, target) == 0 else {
            throw CassetteError(
                .cannotWrite, "the new file cannot take its place: \(systemMessage(errno))",
                file: "\(self.path)/\(target)")
        }
    }

    /// Removes a file; whether it was there.
    @discardableResult
    func remove(_ name: String) -> Bool { unlinkat(self.descriptor, name, 0) == 0 }

    /// Removes an empty folder.
    func removeFolder(_ name: String) { unlinkat(self.descriptor, name, AT_REMOVEDIR) }

    /// Makes names that were added, replaced or removed durable.
    func sync() throws(CassetteError) {
        // Some file systems cannot sync a folder and say EINVAL; then there is nothing to wait for.
        guard fsync(self.descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
            throw CassetteError(
                .cannotWrite, "the disk did not confirm the folder: \(systemMessage(errno))", file: self.path)
        }
    }

    /// The names in the folder, sorted; a folder that cannot be listed is an error, never an empty one.
    func names() throws(CassetteError) -> [String] {
        let copy = openat(self.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw self.unlisted(errno) }
        guard let stream = fdopendir(copy) else {
            let code = errno
            close(copy)
            throw self.unlisted(code)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // The end and a failure differ by this alone (readdir(3)).
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw self.unlisted(errno) }
                return names.sorted()
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    private func unlisted(_ code: Int32) -> CassetteError {
        CassetteError(.of(code, .unreadable), "the folder cannot be listed: \(systemMessage(code))", file: self.path)
    }
}

extension CassetteError.Code {
    /// The kind for an error number of the system: ``denied`` where access was refused, else `kind`.
    static func of(_ number: Int32, _ kind: Self) -> Self { isRefusal(number) ? .denied : kind }
}

private func isRefusal(_ number: Int32) -> Bool { number == EACCES || number == EPERM }

/// What the system says about an error number.
func systemMessage(_ number: Int32) -> String {
    let text = String(cString: strerror(number))
    guard isRefusal(number) else { return text }
    return text
        + "; look at the owner and mode of the file and its folder (ls -ld), or choose another folder with --cassettes"
}
