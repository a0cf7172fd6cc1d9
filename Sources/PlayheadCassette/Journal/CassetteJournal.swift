import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The exchanges of a session that are not in the cassette file yet, appended one by one.
///
/// An exchange is appended before the last octet of its response goes to the client, so a process that is killed loses
/// none that a client holds. Not durable against loss of power; the file is, once it is saved.
public final class CassetteJournal {
    /// What was found after the last whole record.
    public struct TornTail: Sendable, Hashable {
        /// Where it begins in the journal, in octets.
        public var offset: Int
        /// How many octets it has.
        public var length: Int
        /// What is wrong with it, for people.
        public var reason: String
        /// The file it was moved to.
        public var setAside: String
    }

    /// `write(2)`; tests put a failing one in its place.
    typealias Write = (Int32, UnsafeRawPointer?, Int) -> Int

    /// Where the cassette is.
    public let location: CassetteLocation
    /// How many exchanges this object has appended.
    public private(set) var appended = 0

    private let folder: Folder
    private let file: OpenFile
    private let write: Write
    private let sealed: SealedFile?
    /// The number of the next record.
    private var number: UInt64
    private var buffer = ByteBuffer()
    /// The length of the whole records; the file is never longer when a call returns.
    private var end: Int
    /// Whether octets of a failed append could not be cut off yet.
    private var needsCut = false

    /// Opens the journal of a cassette to append, and makes it if it is not there.
    ///
    /// Call ``recover(_:)`` before; what is in the journal stays in it. The caller holds the ``CassetteLock``.
    public static func open(_ location: CassetteLocation) throws(CassetteError) -> CassetteJournal {
        try self.open(location, write: systemWrite)
    }

    static func open(_ location: CassetteLocation, write: @escaping Write) throws(CassetteError) -> CassetteJournal {
        guard let folder = try location.openParent(creating: true) else {
            throw CassetteError(.cannotWrite, "the cassettes folder cannot be made", file: location.folder)
        }
        let file = try folder.openToWrite(location.journalName, flags: O_CREAT | O_APPEND)
        var reader = try JournalReader(file, key: location.key)
        while try reader.next() != nil {}
        if let damage = reader.damage { _ = try self.setAside(location, folder, file, reader.validLength, damage) }
        let sealed =
            reader.sealed
            ?? location.key.map {
                SealedFile($0, magic: JournalRecord.sealedMagic, salt: AESGCM.random(SealedFile.saltLength))
            }
        let journal = CassetteJournal(
            location, folder, file, end: reader.validLength, sealed: sealed, number: reader.count, write: write)
        if journal.end == 0 { try journal.writeAll(ByteBuffer(bytes: sealed?.header ?? JournalRecord.magic)) }
        return journal
    }

    private init(
        _ location: CassetteLocation, _ folder: Folder, _ file: OpenFile, end: Int, sealed: SealedFile?,
        number: UInt64, write: @escaping Write
    ) {
        self.sealed = sealed
        self.number = number
        self.location = location
        self.folder = folder
        self.file = file
        self.end = end
        self.write = write
    }

    /// Appends one exchange with one `write(2)`.
    ///
    /// If the disk does not take all of it, what was written is cut off again and the error is thrown; a later append may
    /// succeed, when there is space again.
    public func append(_ exchange: Exchange) throws(CassetteError) {
        self.buffer.clear()
        if let sealed = self.sealed {
            JournalRecord.write(exchange, number: self.number, sealed: sealed, into: &self.buffer)
        } else {
            JournalRecord.write(exchange, into: &self.buffer)
        }
        guard self.buffer.readableBytes - JournalRecord.headerLength <= JournalRecord.payloadLimit else {
            self.buffer = ByteBuffer()
            throw CassetteError(.tooLarge, "an exchange is too large for the journal", file: self.location.journal)
        }
        defer { if self.buffer.capacity > 1 << 20 { self.buffer = ByteBuffer() } }
        try self.writeAll(self.buffer)
        self.number += 1
        self.appended += 1
    }

    /// Removes the journal; what it held must be in the file by now.
    public func remove() { self.folder.remove(self.location.journalName) }

    /// The exchanges that a session left behind, in order, and what became of a torn end.
    ///
    /// A torn last record is moved to `<name>.journal.torn` and is never fatal.
    public static func recover(
        _ location: CassetteLocation
    ) throws(CassetteError) -> (exchanges: [Exchange], torn: TornTail?) {
        guard let folder = try location.openParent(creating: false),
            let file = try folder.openToRead(location.journalName)
        else { return ([], nil) }
        var exchanges: [Exchange] = []
        var reader = try JournalReader(file, key: location.key)
        while let exchange = try reader.next() { exchanges.append(exchange) }
        guard let damage = reader.damage else { return (exchanges, nil) }
        let writable = try folder.openToWrite(location.journalName, flags: 0)
        return (exchanges, try self.setAside(location, folder, writable, reader.validLength, damage))
    }

    /// The same for those who only look on: nothing is set aside, so a session that is still recording is not disturbed.
    public static func look(
        _ location: CassetteLocation
    ) throws(CassetteError) -> (exchanges: [Exchange], isTorn: Bool) {
        guard let folder = try location.openParent(creating: false),
            let file = try folder.openToRead(location.journalName)
        else { return ([], false) }
        var exchanges: [Exchange] = []
        var reader = try JournalReader(file, key: location.key)
        while let exchange = try reader.next() { exchanges.append(exchange) }
        return (exchanges, reader.damage != nil)
    }

    /// Removes the journal of a cassette that was replaced; the caller holds the ``CassetteLock``.
    public static func discard(_ location: CassetteLocation) throws(CassetteError) {
        try location.openParent(creating: false)?.remove(location.journalName)
    }

    private static func setAside(
        _ location: CassetteLocation, _ folder: Folder, _ file: OpenFile, _ offset: Int, _ reason: String
    ) throws(CassetteError) -> TornTail {
        let length = try file.length() - offset
        lseek(file.descriptor, off_t(offset), SEEK_SET)
        let copy = try folder.openToWrite(location.tornName, flags: O_CREAT | O_TRUNC)
        while case let piece = try file.read(upTo: 1 << 20), piece.readableBytes > 0 {
            try copy.write(piece)
        }
        guard ftruncate(file.descriptor, off_t(offset)) == 0 else {
            throw CassetteError(
                .cannotWrite, "the torn end of the journal cannot be cut off: \(systemMessage(errno))",
                file: location.journal)
        }
        return TornTail(offset: offset, length: length, reason: reason, setAside: copy.path)
    }

    private func writeAll(_ octets: ByteBuffer) throws(CassetteError) {
        if self.needsCut { try self.cut() }
        let failure = octets.withUnsafeReadableBytes { bytes -> Int32 in
            var done = 0
            while done < bytes.count {
                let got = self.write(self.file.descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                if got > 0 {
                    done += got
                } else if got == 0 {
                    return ENOSPC
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
        guard failure == 0 else {
            self.needsCut = true
            try? self.cut()
            throw CassetteError(
                .cannotWrite, "the disk did not take an exchange (\(systemMessage(failure))); it is not recorded",
                file: self.location.journal)
        }
        self.end += octets.readableBytes
    }

    /// Cuts the octets of a failed append off, so that the journal holds whole records only.
    private func cut() throws(CassetteError) {
        guard ftruncate(self.file.descriptor, off_t(self.end)) == 0 else {
            throw CassetteError(
                .cannotWrite, "the journal cannot be repaired after a failed write: \(systemMessage(errno))",
                file: self.location.journal)
        }
        self.needsCut = false
    }
}
