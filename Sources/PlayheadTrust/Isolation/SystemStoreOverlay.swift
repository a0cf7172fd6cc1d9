#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Prepares what covers the system's trust stores for one command.
///
/// Folders are covered by a copy with our CA in it, since an overlay file system is not for every kernel and user.
public struct SystemStoreOverlay {
    /// Folders with certificates under their subject hash, as OpenSSL reads them.
    static let hashedFolders = [
        "/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted/pem/directory-hash",
    ]
    /// Where distributions keep the store of their Java packages.
    static let javaStores = ["/etc/ssl/certs/java/cacerts", "/etc/pki/ca-trust/extracted/java/cacerts"]

    /// The files that clients read by variables.
    public let files: TrustFiles
    /// Whether the machine's own roots are left out.
    public let strictOnlyOurs: Bool
    /// The folder that stands for `/`.
    public let root: String

    /// Describes an overlay.
    public init(files: TrustFiles, strictOnlyOurs: Bool, root: String = "") {
        self.files = files
        self.strictOnlyOurs = strictOnlyOurs
        self.root = root
    }

    /// Writes the copies into a folder and says what covers what.
    ///
    /// - Throws: `TrustError` when the machine has no store at a known place, or the folder cannot be written.
    public func prepare(into folder: String) throws(TrustError) -> [Isolation.Bind] {
        var replaced: [(path: String, source: String)] = []
        func replace(_ names: [String], by source: String) {
            for name in names {
                guard let path = FileAccess.resolved(root + name), !FileAccess.isFolder(path),
                    !replaced.contains(where: { $0.path == path })
                else { continue }
                replaced.append((path, source))
            }
        }
        replace(SystemRoots.bundlePaths, by: files.bundleFile)
        if let store = files.javaStore { replace(Self.javaStores, by: store) }

        var binds: [Isolation.Bind] = []
        for name in Self.hashedFolders {
            guard let path = FileAccess.resolved(root + name), FileAccess.isFolder(path),
                !binds.contains(where: { $0.target == path })
            else { continue }
            let copy = "\(folder)/\(binds.count)"
            try FileAccess.createFolder(copy)
            try fill(copy, from: path, placeholders: replaced.map(\.path))
            try addOurs(to: copy)
            binds.append(Isolation.Bind(copy, over: path))
        }
        binds += replaced.map { Isolation.Bind($0.source, over: $0.path) }
        guard !binds.isEmpty else {
            throw TrustError(
                .isolationRefused,
                "--isolate found no trust store of the system at a known place, such as \(SystemRoots.bundlePaths[0]); "
                    + "install the package ca-certificates")
        }
        return binds
    }

    /// Copies a folder, or only the places where a file will cover another one.
    private func fill(_ copy: String, from folder: String, placeholders: [String]) throws(TrustError) {
        for name in FileAccess.names(in: folder) {
            let source = "\(folder)/\(name)"
            let target = "\(copy)/\(name)"
            if placeholders.contains(source) {
                try FileAccess.write([], to: target)
            } else if let link = FileAccess.link(at: source) {
                // A link to a neighbour holds in the copy as well; any other must not depend on where it is.
                let isNeighbour = !link.utf8.contains(0x2F)
                guard !strictOnlyOurs, let end = isNeighbour ? link : FileAccess.resolved(source) else { continue }
                try FileAccess.createLink(at: target, to: end)
            } else if FileAccess.isFolder(source) {
                guard !strictOnlyOurs || placeholders.contains(where: { $0.hasPrefix(source + "/") }) else { continue }
                try FileAccess.createFolder(target)
                try fill(target, from: source, placeholders: placeholders)
            } else if !strictOnlyOurs, let octets = FileAccess.read(source) {
                try FileAccess.write(octets, to: target)
            }
        }
    }

    private func addOurs(to copy: String) throws(TrustError) {
        for name in FileAccess.names(in: files.hashedFolder) {
            guard let octets = FileAccess.read("\(files.hashedFolder)/\(name)") else { continue }
            // Subjects with the same hash are told apart by the number behind the dot.
            let hash = name.prefix { $0 != "." }
            var number = 0
            while FileAccess.link(at: "\(copy)/\(hash).\(number)") != nil
                || FileAccess.exists("\(copy)/\(hash).\(number)")
            {
                number += 1
            }
            try FileAccess.write(octets, to: "\(copy)/\(hash).\(number)")
        }
    }
}
