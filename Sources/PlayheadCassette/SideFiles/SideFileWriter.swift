public import NIOCore
public import PlayheadContent

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Streams a body to a spill file and names it after its content when it is whole.
///
/// Writing blocks, so large bodies are written from where blocking is allowed. An object that goes away unfinished leaves
/// nothing behind.
public final class SideFileWriter {
    /// How many octets were written.
    public private(set) var count = 0

    private let folder: Folder
    private let file: OpenFile
    private let sink: FileSink
    private let location: CassetteLocation
    private let temporaryName: String
    private let suffix: String
    private let digest = SHA256Digest()
    private var isOpen = true

    /// Opens a spill file in the cassette's body folder, which is made if need be.
    ///
    /// `mediaType` picks the suffix; `unique` must differ among the writers of one cassette that are open at a time.
    public init(_ location: CassetteLocation, mediaType: MediaType? = nil, unique: String) throws(CassetteError) {
        guard let parent = try location.openParent(creating: true),
            let folder = try parent.subfolder(location.bodiesName, creating: true)
        else { throw CassetteError(.cannotWrite, "the body folder cannot be made", file: location.bodiesFolder) }
        let safe = unique.utf8.map { ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 ? $0 : UInt8(ascii: "_") }
        self.temporaryName = SideFiles.spillPrefix + String(decoding: safe.prefix(100), as: UTF8.self)
        self.folder = folder
        self.suffix = SideFiles.suffix(for: mediaType)
        self.file = try folder.openToWrite(self.temporaryName, flags: O_CREAT | O_TRUNC)
        self.location = location
        self.sink = try FileSink(self.file, key: location.key)
    }

    deinit { self.abort() }

    /// Adds octets at the end.
    public func write(_ octets: ByteBuffer) throws(CassetteError) {
        guard self.isOpen else {
            throw CassetteError(.cannotWrite, "the side file was finished already", file: self.file.path)
        }
        try self.sink.write(octets)
        octets.withUnsafeReadableBytes { self.digest.update($0) }
        self.count += octets.readableBytes
    }

    /// Gives the file its name, `<sha256>.<suffix>`; the same content twice is one file.
    public func finish() throws(CassetteError) -> SideFileReference {
        guard self.isOpen else {
            throw CassetteError(.cannotWrite, "the side file was finished already", file: self.file.path)
        }
        let sha256 = self.digest.finish()
        let name = "\(sha256).\(self.suffix)"
        let reference = SideFileReference(name: name, length: self.count, sha256: sha256)
        do throws(CassetteError) {
            try self.sink.finish()
            try self.folder.rename(self.temporaryName, to: self.location.diskName(reference))
        } catch {
            self.abort()
            throw error
        }
        self.isOpen = false
        return reference
    }

    /// Removes what was written; after ``finish()`` it does nothing.
    public func abort() {
        guard self.isOpen else { return }
        self.isOpen = false
        self.folder.remove(self.temporaryName)
    }
}
