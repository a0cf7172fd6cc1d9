import PlayheadCassette

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What is in a folder of cassettes.
enum CassetteFolder {
    /// The cassettes in a folder and the folders below it, by name; also those of which there is only a journal yet.
    ///
    /// - Throws: `CommandFailure` when the folder cannot be read; one that is missing has no cassettes.
    static func locations(in folder: String) throws -> [CassetteLocation] {
        var names: [CassetteName] = []
        try Self.collect(folder, prefix: "", into: &names, depth: 0)
        return Set(names).map { CassetteLocation(folder: folder, name: $0) }
            .sorted { $0.name.description < $1.name.description }
    }

    /// Whether a path leads to a regular file.
    static func isFile(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
    }

    /// Whether there is a cassette: a file, or a folder with one file per exchange.
    static func exists(_ location: CassetteLocation) -> Bool {
        location.isFolder ? access(location.file, F_OK) == 0 : Self.isFile(location.file)
    }

    /// The cassette that a name without extension means: the one that is there, else one in YAML.
    static func existing(_ location: CassetteLocation, named text: String) -> CassetteLocation {
        guard location.name.fileExtension == "yaml", !text.lowercased().hasSuffix(".yaml"), !Self.exists(location)
        else { return location }
        for other in ["yml", "json", "plist", CassetteName.folderExtension] {
            guard let name = try? CassetteName.validated("\(location.name.base).\(other)") else { continue }
            let found = CassetteLocation(folder: location.folder, name: name, key: location.key)
            if Self.exists(found) || Self.isFile(found.journal) { return found }
        }
        return location
    }

    /// Reads every side file of a cassette and checks its hash.
    static func verifySideFiles(of cassette: Cassette, at location: CassetteLocation) throws {
        for exchange in cassette.exchanges {
            for case .file(let reference) in exchange.bodies.map(\.content) {
                try SideFileReader(location, reference).verify()
            }
        }
    }

    private static func collect(
        _ folder: String, prefix: String, into names: inout [CassetteName], depth: Int
    ) throws {
        guard let stream = opendir(folder) else {
            // Something else than a folder may lie below one of cassettes.
            if errno == ENOENT || (depth > 0 && errno == ENOTDIR) { return }
            throw CommandFailure(.system(.inputMissing), "The folder \(folder) cannot be read: \(FileText.lastError).")
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix(".") else { continue }
            let path = folder + "/" + name
            if Self.isFile(path) {
                if name.hasSuffix(".journal"), let valid = try? CassetteName.validated(prefix + name.dropLast(8)) {
                    names.append(valid)
                }
                guard [".yaml", ".yml", ".json", ".plist"].contains(where: name.hasSuffix) else { continue }
                if let valid = try? CassetteName.validated(prefix + name) { names.append(valid) }
            } else if name.hasSuffix(".\(CassetteName.folderExtension)") {
                if let valid = try? CassetteName.validated(prefix + name) { names.append(valid) }
            } else if depth < 16, !name.hasSuffix(".bodies") {
                try Self.collect(path, prefix: prefix + name + "/", into: &names, depth: depth + 1)
            }
        }
    }
}
