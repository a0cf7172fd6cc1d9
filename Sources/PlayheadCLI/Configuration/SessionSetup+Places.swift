#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Files and folders that settings name.
extension SessionSetup {
    /// The folder of the cassettes, which need not be there yet.
    var cassettesFolder: String { self.host.absolute(self.settings.text(.cassettesFolder) ?? "cassettes") }

    /// Says which setting to change when a file stands where a folder is needed.
    func requireFolder(_ path: String, _ key: SettingKey) throws {
        guard let file = Self.file(inPlaceOf: path) else { return }
        let finding = file == path ? "which is a file" : "but \(file) is a file"
        throw self.settings.error(
            key, "is \(path), \(finding); give it a folder, which is made if it is not there")
    }

    /// What is no folder at a path or above it; nil when a folder is there, or may be made.
    private static func file(inPlaceOf path: String) -> String? {
        var path = path
        var info = stat()
        while stat(path, &info) != 0 {
            guard errno == ENOTDIR, let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
            path = String(path[..<slash])
        }
        return info.st_mode & S_IFMT == S_IFDIR ? nil : path
    }

    /// Writes a file that a setting names; a failure says which.
    func write(_ octets: [UInt8], to path: String, _ key: SettingKey) throws(CommandFailure) {
        do { try FileText.replace(self.host.absolute(path), with: octets) } catch {
            throw CommandFailure(
                error.code,
                "\(error.message) \(self.settings.place(of: key)) names it: give a file, in a folder that is there and "
                    + "can be written to.")
        }
    }
}
