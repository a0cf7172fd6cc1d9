#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A folder for the files of one run; removed with everything in it.
struct TemporaryFolder {
    let path: String

    init() throws(CommandFailure) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/playhead-run.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw CommandFailure(
                .system(.cannotWrite), "No temporary folder in \(parent): \(FileText.lastError). Set TMPDIR.")
        }
        self.path = String(cString: made)
        // Children may run as another user.
        chmod(self.path, 0o755)
    }

    func remove() { Self.remove(self.path) }

    private static func remove(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                guard name != ".", name != ".." else { continue }
                let child = path + "/" + name
                if unlink(child) != 0 { Self.remove(child) }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}
