/// Where a cassette and the files beside it are.
public struct CassetteLocation: Sendable, Hashable {
    /// The cassettes folder; it is trusted and may be a symbolic link.
    public let folder: String
    /// The name below the folder.
    public let name: CassetteName
    /// The key if the cassette, its journal and its side files are encrypted.
    public var key: CassetteKey?

    /// Creates a location.
    public init(folder: String, name: CassetteName, key: CassetteKey? = nil) {
        self.folder = folder
        self.name = name
        self.key = key
    }

    /// Whether the cassette is a folder with one file per exchange.
    public var isFolder: Bool { self.name.isFolder }

    /// The name of a side file on the disk; that of an encrypted one says nothing about its content.
    func diskName(_ reference: SideFileReference) -> String {
        guard let key = self.key else { return reference.name }
        return hexadecimal(key.derived("name", Array(reference.name.utf8))) + ".enc"
    }

    /// The path of the cassette file.
    public var file: String { self.path(self.fileName) }
    /// The path of the journal: exchanges that are not in the file yet.
    public var journal: String { self.path(self.journalName) }
    /// The path of the folder with bodies too large for the file.
    public var bodiesFolder: String { self.path(self.bodiesName) }
    /// The path of the lock file, there only while the cassette is open.
    public var lockFile: String { self.path(self.lockName) }

    var fileName: String { "\(self.lastPart(self.name.base)).\(self.name.fileExtension)" }
    var journalName: String { "\(self.lastPart(self.name.stem)).journal" }
    var tornName: String { "\(self.lastPart(self.name.stem)).journal.torn" }
    var bodiesName: String { "\(self.lastPart(self.name.stem)).bodies" }
    var lockName: String { ".\(self.lastPart(self.name.stem)).lock" }
    var temporaryName: String { ".\(self.fileName).tmp" }

    /// The folder that holds the file, opened step by step so that no symbolic link below `folder` is followed.
    ///
    /// Nil if it does not exist and is not to be created.
    func openParent(creating: Bool) throws(CassetteError) -> Folder? {
        guard var folder = try Folder.root(self.folder, creating: creating) else { return nil }
        for part in self.name.base.split(separator: "/").dropLast() {
            guard let next = try folder.subfolder(String(part), creating: creating) else { return nil }
            folder = next
        }
        return folder
    }

    private func path(_ last: String) -> String {
        let parents = self.name.base.split(separator: "/").dropLast().map(String.init)
        let folder = self.folder.hasSuffix("/") ? String(self.folder.dropLast()) : self.folder
        return ([folder.isEmpty && self.folder.isEmpty ? "." : folder] + parents + [last]).joined(separator: "/")
    }

    private func lastPart(_ text: String) -> String { text.split(separator: "/").last.map(String.init) ?? text }
}
