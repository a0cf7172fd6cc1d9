import PlayheadContent

/// The names in a body folder, and the clearing of those that nothing refers to.
enum SideFiles {
    /// How spill files begin while they are written.
    static let spillPrefix = ".spill-"

    /// The suffix for a media type, so that people and their tools can open the file.
    static func suffix(for mediaType: MediaType?) -> String {
        guard let mediaType else { return "bin" }
        if mediaType.isJSON { return "json" }
        return switch (mediaType.type, mediaType.subtype) {
        case ("text", "html"): "html"
        case ("text", "css"): "css"
        case ("text", "csv"): "csv"
        case ("text", "javascript"), ("application", "javascript"): "js"
        case ("text", "xml"), ("application", "xml"): "xml"
        case ("text", _): "txt"
        case ("image", "png"): "png"
        case ("image", "jpeg"): "jpg"
        case ("image", "gif"): "gif"
        case ("image", "webp"): "webp"
        case ("image", "svg+xml"): "svg"
        case ("application", "pdf"): "pdf"
        case ("application", "zip"): "zip"
        case ("application", "gzip"), ("application", "x-gzip"): "gz"
        default: "bin"
        }
    }

    /// Removes spill files and side files that are not in `referenced`, then the folder if it is empty.
    ///
    /// Other files of the folder are not ours and stay.
    static func clear(_ location: CassetteLocation, in parent: Folder, keeping referenced: Set<String>) {
        guard let folder = try? parent.subfolder(location.bodiesName, creating: false), let names = try? folder.names()
        else { return }
        for name in names where !referenced.contains(name) {
            let reference = SideFileReference(name: name, length: 0, sha256: String(name.prefix(64)))
            if reference.isWellFormed || name.hasPrefix(self.spillPrefix) { folder.remove(name) }
        }
        parent.removeFolder(location.bodiesName)
    }
}

extension Exchange {
    /// The side files that the exchange refers to.
    var sideFiles: [SideFileReference] {
        self.bodies.compactMap { body in
            guard case .file(let reference) = body.content else { return nil }
            return reference
        }
    }
}
