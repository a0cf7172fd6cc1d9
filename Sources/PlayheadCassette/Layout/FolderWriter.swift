import CSystemCalls
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Saves a cassette that is a folder: the new folder is made beside the old one, then both change places at once.
///
/// Files that stay as they are are linked, not written, so that only what changed gets a new moment.
struct FolderWriter {
    let location: CassetteLocation
    let parent: Folder

    /// Saves; false if nothing was to be changed.
    ///
    /// `note` gets each side file that is referred to; `beforeSwap` makes them durable.
    func save(
        _ source: SaveSource, note: (SideFileReference) -> Void, beforeSwap: () throws(CassetteError) -> Void
    ) throws(CassetteError) -> Bool {
        try Self.repair(self.location, in: self.parent)
        let temporary = self.location.temporaryName
        try self.removeFolder(temporary)
        let old = try self.parent.subfolder(self.location.fileName, creating: false)
        guard let new = try self.parent.subfolder(temporary, creating: true) else {
            throw CassetteError(.cannotWrite, "the folder cannot be made", file: self.location.file)
        }
        do throws(CassetteError) {
            guard let written = try self.fill(new, from: old, source, note) else {
                try self.removeFolder(temporary)
                return false
            }
            try Self.sync(written, in: new)
            try beforeSwap()
            try self.swap(temporary, hasOld: old != nil)
        } catch {
            try? self.removeFolder(temporary)
            throw error
        }
        return true
    }

    /// Puts the old folder back if a process died between the two renames of a file system that cannot swap.
    static func repair(_ location: CassetteLocation, in parent: Folder) throws(CassetteError) {
        guard try parent.subfolder(location.fileName, creating: false) == nil,
            try parent.subfolder(Self.oldName(location), creating: false) != nil
        else { return }
        try parent.rename(Self.oldName(location), to: location.fileName)
    }

    /// Makes files durable: one by one, or all at once when they are many.
    private static func sync(_ names: [String], in folder: Folder) throws(CassetteError) {
        if names.count < 32 || playhead_sync_file_system(folder.descriptor) != 0 {
            for name in names { try folder.openToRead(name)?.sync() }
        }
        try folder.sync()
    }

    private static func oldName(_ location: CassetteLocation) -> String { ".\(location.fileName).old" }

    /// The files that are not those of the old folder; nil if the new one does not differ from it.
    private func fill(
        _ new: Folder, from old: Folder?, _ source: SaveSource, _ note: (SideFileReference) -> Void
    ) throws(CassetteError) -> [String]? {
        var last: Int?
        var followsIDs = true
        try source.forEach { exchange throws(CassetteError) in
            guard followsIDs else { return }
            last = FolderLayout.rises(last, exchange.id)
            followsIDs = last != nil
        }
        var header = YAMLWriter()
        header.pairs(CassetteNodes.header(of: source.base), indent: 0)
        var written: [String] = []
        if try self.put(header.take(), FolderLayout.headerName, into: new, from: old) {
            written.append(FolderLayout.headerName)
        }
        var isShorter = false
        var names: Set<String> = [FolderLayout.headerName]
        var naming = ExchangeFileNames(key: self.location.key)
        var position = 0
        try source.forEach { exchange throws(CassetteError) in
            for reference in exchange.sideFiles { note(reference) }
            position += 1
            let name = naming.name(for: exchange.request)
            var writer = YAMLWriter()
            if !followsIDs { writer.pairs([("position", .integer(position))], indent: 0) }
            if case .dictionary(let pairs, _) = CassetteNodes.exchange(exchange) { writer.pairs(pairs, indent: 0) }
            if try self.put(writer.take(), name, into: new, from: old) { written.append(name) }
            names.insert(name)
        }
        for name in try old?.names() ?? [] where !names.contains(name) {
            if FolderLayout.isExchange(name) {
                isShorter = true
            } else if let old, linkat(old.descriptor, name, new.descriptor, name, 0) != 0 {
                throw CassetteError(
                    .cannotWrite, "this is no exchange and cannot be kept (\(systemMessage(errno))); move it elsewhere",
                    file: "\(self.location.file)/\(name)")
            }
        }
        return written.isEmpty && !isShorter && old != nil ? nil : written
    }

    /// Links the old file if it has this content, else writes a new one; whether it is new.
    private func put(
        _ octets: ByteBuffer, _ name: String, into new: Folder, from old: Folder?
    ) throws(CassetteError) -> Bool {
        var octets = octets
        if let key = self.location.key {
            let digest = SHA256Digest()
            octets.withUnsafeReadableBytes { digest.update($0) }
            let content = Array("\(name)\n\(digest.finish())".utf8)
            let salt = key.derived("content", content).prefix(SealedFile.saltLength)
            octets = SealedFile.sealed(octets, key: key, salt: Array(salt))
        }
        if let old, let file = try old.openToRead(name), try file.length() == octets.readableBytes,
            try file.readAll(limit: octets.readableBytes) == octets,
            linkat(old.descriptor, name, new.descriptor, name, 0) == 0
        {
            return false
        }
        let file = try new.openToWrite(name, flags: O_CREAT | O_EXCL)
        try file.write(octets)
        return true
    }

    private func swap(_ temporary: String, hasOld: Bool) throws(CassetteError) {
        let name = self.location.fileName
        guard hasOld else { return try self.parent.rename(temporary, to: name) }
        if playhead_exchange_names(self.parent.descriptor, temporary, name) == 0 {
            try self.parent.sync()
            return try self.removeFolder(temporary)
        }
        // No swap on this file system: for a moment there is no folder; `repair` knows what to do then.
        let aside = Self.oldName(self.location)
        try self.removeFolder(aside)
        try self.parent.rename(name, to: aside)
        try self.parent.rename(temporary, to: name)
        try self.parent.sync()
        try self.removeFolder(aside)
    }

    /// Removes a folder of ours with its files.
    private func removeFolder(_ name: String) throws(CassetteError) {
        guard let folder = try self.parent.subfolder(name, creating: false) else { return }
        for file in try folder.names() { folder.remove(file) }
        self.parent.removeFolder(name)
    }
}
