import NIOCore

/// Reads a cassette that is a folder.
struct FolderReader {
    private let location: CassetteLocation
    private let folder: Folder
    private let limit: Int

    /// Nil if the folder is not there, or has neither a header nor exchanges.
    init?(_ location: CassetteLocation, in parent: Folder, limit: Int) throws(CassetteError) {
        try FolderWriter.repair(location, in: parent)
        guard let folder = try parent.subfolder(location.fileName, creating: false) else { return nil }
        self.location = location
        self.folder = folder
        self.limit = limit
        let names = try folder.names()
        guard names.contains(FolderLayout.headerName) || names.contains(where: FolderLayout.isExchange) else {
            return nil
        }
    }

    /// What is true for all exchanges.
    func header() throws(CassetteError) -> Cassette { try self.builder().finish() }

    func cassette() throws(CassetteError) -> Cassette {
        let builder = try self.builder()
        var cassette = try builder.finish()
        var decoder = CassetteDecoder(fileName: "")
        var found: [(order: Int, name: String, exchange: Exchange)] = []
        var left = self.limit
        for name in try self.folder.names() where FolderLayout.isExchange(name) {
            let path = self.path(name)
            decoder.fileName = path
            let bytes = try self.read(name, limit: left)
            left -= bytes.readableBytes
            guard var node = try YAMLDocument.parse(bytes, fileName: path) else {
                throw CassetteError(
                    .malformed, "the file holds no exchange; remove it, or restore it", file: path, line: 1)
            }
            let position = try self.takePosition(from: &node, path)
            let exchange = try decoder.exchange(CassetteVersions.upgraded(node, from: builder.version))
            found.append((position ?? Int(exchange.id) ?? .max, name, exchange))
        }
        found.sort { ($0.order, $0.name) < ($1.order, $1.name) }
        cassette.exchanges = found.map(\.exchange)
        return cassette
    }

    private func builder() throws(CassetteError) -> CassetteBuilder {
        let path = self.path(FolderLayout.headerName)
        guard try self.folder.openToRead(FolderLayout.headerName) != nil else {
            throw CassetteError(
                .malformed,
                "the folder has exchanges and no \(FolderLayout.headerName); restore it, or write "
                    + "'playhead: \(Cassette.currentVersion)' into a new one", file: path)
        }
        let bytes = try self.read(FolderLayout.headerName, limit: self.limit)
        guard let root = try YAMLDocument.parse(bytes, fileName: path), let entries = root.mapping else {
            throw CassetteError(
                .malformed, "the file must be a dictionary that begins with 'playhead: 1'", file: path, line: 1)
        }
        var builder = CassetteBuilder(fileName: path)
        for entry in entries {
            guard entry.key != "exchanges" else {
                throw CassetteError(
                    .malformed, "the exchanges of this cassette are in files of their own", file: path,
                    line: entry.line)
            }
            try builder.begin(entry.key, line: entry.line)
            try builder.take(entry.key, entry.value, line: entry.line)
        }
        try builder.begin("exchanges", line: 1)
        return builder
    }

    /// Takes the key `position` away, which only this layout has.
    private func takePosition(from node: inout YAMLNode, _ path: String) throws(CassetteError) -> Int? {
        guard case .mapping(var entries) = node.content,
            let index = entries.firstIndex(where: { $0.key == "position" })
        else { return nil }
        guard let position = entries[index].value.integer else {
            throw CassetteError(
                .malformed, "'position' must be a whole number", file: path, line: entries[index].line)
        }
        entries.remove(at: index)
        node.content = .mapping(entries)
        return position
    }

    private func read(_ name: String, limit: Int) throws(CassetteError) -> ByteBuffer {
        guard let file = try self.folder.openToRead(name) else {
            throw CassetteError(.unreadable, "the file went away while the cassette was read", file: self.path(name))
        }
        return try SealedFile.opened(
            try file.readAll(limit: limit), key: self.location.key, file: self.path(name))
    }

    private func path(_ name: String) -> String { "\(self.location.file)/\(name)" }
}
