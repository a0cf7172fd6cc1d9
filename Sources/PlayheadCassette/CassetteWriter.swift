public import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Whether saving changed the file.
public enum SaveResult: Sendable, Hashable {
    /// The file is new.
    case written
    /// The file had this content already and was not touched.
    case unchanged
}

/// Writes cassette files.
public enum CassetteWriter {
    /// The octets of a cassette; the same cassette gives the same octets.
    public static func encode(_ cassette: Cassette, format: CassetteFormat = .yaml) -> ByteBuffer {
        var encoder = CassetteEncoder(format: format)
        encoder.begin(cassette)
        for exchange in cassette.exchanges { encoder.append(exchange) }
        encoder.end()
        return encoder.take()
    }

    /// Puts a cassette in the place of the file, at once and durably, or leaves the old file as it was.
    ///
    /// The caller holds the ``CassetteLock``, and no ``SideFileWriter`` of the cassette is open: after the new file is in
    /// place, side files that neither it nor the journal refers to are removed.
    @discardableResult
    public static func save(_ cassette: Cassette, to location: CassetteLocation) throws(CassetteError) -> SaveResult {
        try CassetteMerge.save(location, base: cassette, journal: nil)
    }
}

/// Puts exchanges that were kept and those of the journal together in a new file.
public enum CassetteMerge {
    /// Writes `base` and then what is in the journal, exchange by exchange, and removes the journal.
    ///
    /// An exchange of the journal that `base` has already, with the same id and content, is left out: a process died
    /// between saving and removing the journal. One whose id is taken by another gets a new number. `include` decides about
    /// each exchange of the journal. Memory is bounded by `base` and one exchange.
    @discardableResult
    public static func save(
        _ location: CassetteLocation, base: Cassette, journal: CassetteJournal?,
        include: @escaping (Exchange) -> Bool = { _ in true }
    ) throws(CassetteError) -> SaveResult {
        guard let folder = try location.openParent(creating: true) else {
            throw CassetteError(.cannotWrite, "the cassettes folder cannot be made", file: location.folder)
        }
        let save = CassetteSave(location: location, folder: folder)
        let result = try save.run(base: base, withJournal: journal != nil, include: include)
        journal?.remove()
        if journal != nil { try folder.sync() }
        return result
    }
}

/// One saving of one cassette: temporary file, fsync, rename, fsync of the folder.
private final class CassetteSave {
    private static let piece = 256 << 10

    private let location: CassetteLocation
    private let folder: Folder
    private var referenced: Set<String> = []

    init(location: CassetteLocation, folder: Folder) {
        self.location = location
        self.folder = folder
    }

    func run(
        base: Cassette, withJournal: Bool, include: @escaping (Exchange) -> Bool
    ) throws(CassetteError) -> SaveResult {
        let source = SaveSource(
            base: base, location: self.location, folder: self.folder, withJournal: withJournal, include: include)
        let isChanged = self.location.isFolder ? try self.saveFolder(source) : try self.saveFile(source)
        if isChanged { try self.folder.sync() }
        self.clear(withJournal: withJournal)
        return isChanged ? .written : .unchanged
    }

    private func saveFolder(_ source: SaveSource) throws(CassetteError) -> Bool {
        let writer = FolderWriter(location: self.location, parent: self.folder)
        return try writer.save(source) { reference in
            self.referenced.insert(self.location.diskName(reference))
        } beforeSwap: { () throws(CassetteError) in
            try self.syncSideFiles()
        }
    }

    private func saveFile(_ source: SaveSource) throws(CassetteError) -> Bool {
        let name = self.location.temporaryName
        let file = try self.folder.openToWrite(name, flags: O_CREAT | O_TRUNC)
        do throws(CassetteError) {
            try self.write(source, to: file)
            if try self.isUnchanged(file) {
                self.folder.remove(name)
                return false
            }
            try self.syncSideFiles()
            try file.sync()
            try self.folder.rename(name, to: self.location.fileName)
        } catch {
            self.folder.remove(name)
            throw error
        }
        return true
    }

    private func write(_ source: SaveSource, to file: OpenFile) throws(CassetteError) {
        guard let key = self.location.key else {
            let sink = try FileSink(file, key: nil)
            return try self.encode(source) { octets throws(CassetteError) in try sink.write(octets) }
        }
        // The salt comes from the content, so that the same exchanges give the same octets here too.
        let digest = SHA256Digest()
        try self.encode(source) { octets throws(CassetteError) in octets.withUnsafeReadableBytes { digest.update($0) } }
        let salt = key.derived("content", Array(digest.finish().utf8)).prefix(SealedFile.saltLength)
        let sink = try FileSink(file, key: key, salt: Array(salt))
        try self.encode(source) { octets throws(CassetteError) in try sink.write(octets) }
        try sink.finish()
    }

    private func encode(
        _ source: SaveSource, to sink: (ByteBuffer) throws(CassetteError) -> Void
    ) throws(CassetteError) {
        var encoder = CassetteEncoder(format: self.location.name.format)
        encoder.begin(source.base)
        try source.forEach { exchange throws(CassetteError) in
            encoder.append(exchange)
            for reference in exchange.sideFiles { self.referenced.insert(self.location.diskName(reference)) }
            if encoder.pending >= Self.piece { try sink(encoder.take()) }
        }
        encoder.end()
        try sink(encoder.take())
    }

    private func isUnchanged(_ file: OpenFile) throws(CassetteError) -> Bool {
        guard let old = try self.folder.openToRead(self.location.fileName), try old.length() == file.length() else {
            return false
        }
        file.rewind()
        while true {
            let new = try file.read(upTo: Self.piece)
            // Both files are regular and nobody else writes them, so pieces have equal lengths.
            guard try new == old.read(upTo: Self.piece) else { return false }
            if new.readableBytes == 0 { return true }
        }
    }

    /// The file must not be durable before the side files it names.
    private func syncSideFiles() throws(CassetteError) {
        guard !self.referenced.isEmpty,
            let bodies = try self.folder.subfolder(self.location.bodiesName, creating: false)
        else { return }
        for name in self.referenced.sorted() { try bodies.openToRead(name)?.sync() }
        try bodies.sync()
    }

    /// Removes side files without a reference; those of a journal that stays are kept, and all if it cannot be read.
    private func clear(withJournal: Bool) {
        var keeping = self.referenced
        do throws(CassetteError) {
            if !withJournal, let journal = try self.folder.openToRead(self.location.journalName) {
                var reader = try JournalReader(journal, key: self.location.key)
                while let exchange = try reader.next() {
                    for reference in exchange.sideFiles { keeping.insert(self.location.diskName(reference)) }
                }
            }
        } catch {
            return
        }
        SideFiles.clear(self.location, in: self.folder, keeping: keeping)
    }
}

/// What goes into a file: the exchanges that are kept, then those of the journal; it can be gone through more than once.
struct SaveSource {
    let base: Cassette
    let location: CassetteLocation
    let folder: Folder
    let withJournal: Bool
    let include: (Exchange) -> Bool

    func forEach(_ body: (Exchange) throws(CassetteError) -> Void) throws(CassetteError) {
        for exchange in self.base.exchanges { try body(exchange) }
        guard self.withJournal, let journal = try self.folder.openToRead(self.location.journalName) else { return }
        var ids = ExchangeIDs(self.base.exchanges)
        var reader = try JournalReader(journal, key: self.location.key)
        while var exchange = try reader.next() {
            guard self.include(exchange), let id = ids.claim(exchange, among: self.base.exchanges) else { continue }
            exchange.id = id
            try body(exchange)
        }
    }
}

/// Keeps ids apart when exchanges come together.
private struct ExchangeIDs {
    private var positions: [String: Int] = [:]
    private var taken: Set<String> = []
    private var next = 1

    init(_ exchanges: [Exchange]) {
        for (position, exchange) in exchanges.enumerated() { self.positions[exchange.id] = position }
        self.taken = Set(self.positions.keys)
    }

    /// The id for an exchange of the journal; nil if the file has it already.
    mutating func claim(_ exchange: Exchange, among base: [Exchange]) -> String? {
        if let position = self.positions[exchange.id], base[position] == exchange { return nil }
        if self.taken.insert(exchange.id).inserted { return exchange.id }
        while !self.taken.insert(String(self.next)).inserted { self.next += 1 }
        return String(self.next)
    }
}
