import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reading and rewriting of whole cassettes by the `cassette` commands.
///
/// A cassette is rewritten under its lock and in one step, so a reader and a crash find the old one or the new one.
enum CassetteChange {
    /// Rewrites a cassette; exchanges of a run that did not end are taken in first.
    ///
    /// - Returns: what `change` returned; nothing is written when it leaves the cassette as it was.
    static func update<Value>(
        _ location: CassetteLocation, _ change: (inout Cassette) throws -> Value
    ) throws -> Value {
        guard CassetteFolder.exists(location) || CassetteFolder.isFile(location.journal) else {
            throw Self.missing(location)
        }
        let lock = try CassetteLock.acquire(location)
        defer { lock.release() }
        let recovered = try CassetteJournal.recover(location)
        if let torn = recovered.torn {
            Terminal.talk(
                "playhead: \(location.journal) ended in a torn record (\(torn.reason)); \(torn.length) octets are set aside "
                    + "in \(torn.setAside)")
        }
        if !recovered.exchanges.isEmpty {
            let stored = try CassetteReader.read(location) ?? Cassette(recordedWith: Version.program)
            _ = try CassetteMerge.save(
                location, base: stored, journal: try CassetteJournal.open(location))
        }
        guard let old = try CassetteReader.read(location) else { throw Self.missing(location) }
        var new = old
        let value = try change(&new)
        if new != old { try CassetteWriter.save(new, to: location) }
        return value
    }

    /// A cassette with the exchanges of a run that did not end, or still goes on, which are in its journal.
    static func read(_ location: CassetteLocation) throws -> Cassette {
        // The journal first: what is saved meanwhile is in both rather than in neither.
        let hasJournal = CassetteFolder.isFile(location.journal)
        let journal = try CassetteJournal.look(location)
        let stored = try CassetteReader.read(location)
        guard stored != nil || hasJournal else { throw Self.missing(location) }
        var cassette = stored ?? Cassette(recordedWith: Version.program)
        let count = cassette.exchanges.count
        cassette.append(journal: journal.exchanges)
        if hasJournal { Self.tell(location, cassette.exchanges.count - count, isTorn: journal.isTorn) }
        return cassette
    }

    /// Says that something is not in the cassette's file yet.
    private static func tell(_ location: CassetteLocation, _ count: Int, isTorn: Bool) {
        guard count > 0 || isTorn else { return }
        Terminal.talk(
            "playhead: \(CassetteCommand.List.counted(count)) of \(location.name) \(count == 1 ? "is" : "are") still in "
                + "\(location.journal), of a run that did not end or goes on\(isTorn ? "; its last record is torn" : ""). "
                + "The next run that records takes over what is whole.")
    }

    /// Writes a new cassette, whose bodies are all in memory.
    ///
    /// - Throws: `CommandFailure` when there is one already and `replaces` is false.
    static func create(_ cassette: Cassette, at location: CassetteLocation, replaces: Bool) throws {
        let lock = try CassetteLock.acquire(location)
        defer { lock.release() }
        guard replaces || !CassetteFolder.exists(location) else {
            throw CommandFailure(
                .cannotWrite, "\(location.file) is there already. Name another cassette, or add --force to replace it.")
        }
        guard replaces || !CassetteFolder.isFile(location.journal) else {
            throw CommandFailure(
                .cannotWrite,
                "\(location.journal) holds exchanges of a run that did not end. Name another cassette, or add --force to "
                    + "replace them.")
        }
        var stored = cassette
        stored.exchanges = try cassette.exchanges.map { try Self.stored($0, at: location) }
        try CassetteWriter.save(stored, to: location)
        // What it held was replaced, or is in the new cassette.
        try CassetteJournal.discard(location)
    }

    /// Removes a cassette and its side files.
    static func remove(_ location: CassetteLocation) throws {
        let lock = try CassetteLock.acquire(location)
        defer { lock.release() }
        try CassetteJournal.discard(location)
        // Saving it empty clears its side files.
        try CassetteWriter.save(Cassette(recordedWith: Version.program), to: location)
        let isRemoved =
            location.isFolder
            ? unlink("\(location.file)/cassette.yaml") == 0 && rmdir(location.file) == 0 : unlink(location.file) == 0
        guard isRemoved else {
            throw CommandFailure(.system(.cannotWrite), "\(location.file) cannot be removed: \(FileText.lastError).")
        }
    }

    /// The exchange with the octets of its side files in place of the files.
    static func inlined(_ exchange: Exchange, at location: CassetteLocation) throws -> Exchange {
        try exchange.mappingBodies { body, _ in
            guard case .file = body.content else { return body }
            var body = body
            body.content = .octets(try body.octets(at: location))
            return body
        }
    }

    /// The exchange with big bodies in side files of a cassette.
    static func stored(_ exchange: Exchange, at location: CassetteLocation) throws -> Exchange {
        try exchange.mappingBodies { body, headers in
            let type = headers.first("content-type").flatMap { MediaType.parse($0) }
            return try body.moved {
                try SideFileWriter(location, mediaType: type, unique: "\(CassetteLock.currentProcess())")
            }
        }
    }

    private static func missing(_ location: CassetteLocation) -> CommandFailure {
        CommandFailure(
            .inputMissing,
            "There is no cassette \(location.file). `playhead cassette list` shows those in the folder; "
                + "--cassettes DIR names another folder.")
    }
}
