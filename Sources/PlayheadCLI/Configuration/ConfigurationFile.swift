import NIOCore
import PlayheadCassette
import PlayheadEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `playhead.yaml`: the project's settings, found upwards to the repository root.
struct ConfigurationFile: Sendable {
    /// The file's name in a project.
    static let name = "playhead.yaml"

    /// The path as given or found.
    let path: String
    /// The settings in the file.
    let entries: [SettingKey: Settings.Entry]
    /// What `filters` says.
    let filters: FilterChain

    /// Reads a file.
    ///
    /// - Throws: `CommandFailure` that names the line when a key is unknown or a value has the wrong shape.
    init(path: String) throws {
        guard let octets = FileText.read(path) else {
            let reason = errno == EINVAL ? "it is no regular file of at most 16 MiB" : FileText.lastError
            throw CommandFailure(.system(.inputMissing), "The configuration file \(path) cannot be read: \(reason).")
        }
        self.path = path
        (self.entries, self.filters) = try Self.parse(octets, path: path)
    }

    /// The file that applies to a folder: the first one upwards, not beyond a repository's root.
    static func find(from folder: String) -> String? {
        var folder = folder
        while true {
            let candidate = (folder == "/" ? "" : folder) + "/" + Self.name
            if access(candidate, F_OK) == 0 { return candidate }
            if access(folder + "/.git", F_OK) == 0 || folder == "/" || folder.isEmpty { return nil }
            guard let slash = folder.lastIndex(of: "/") else { return nil }
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
        }
    }

    static func parse(_ octets: [UInt8], path: String) throws -> ([SettingKey: Settings.Entry], FilterChain) {
        let root: YAMLNode?
        do {
            root = try YAMLDocument.parse(ByteBuffer(bytes: octets), fileName: path)
        } catch {
            throw CommandFailure(.badConfiguration, "\(error)")
        }
        guard let root else { return ([:], FilterChain()) }
        guard case .mapping(let pairs) = root.content else {
            throw CommandFailure(.badConfiguration, "\(path), line \(root.line): settings are `key: value` lines.")
        }
        var entries: [SettingKey: Settings.Entry] = [:]
        var filters = FilterChain()
        for pair in pairs {
            let written = pair.key
            if written == FilterSettings.key {
                filters = try FilterSettings(path: path).chain(pair.value)
                continue
            }
            if let repeats = try Self.rubyRepeats(pair.key, pair.value, path: path) {
                entries[.repeats] = Settings.Entry(values: [repeats], source: .file(path, line: pair.line))
                continue
            }
            guard let key = SettingKey(rawValue: written.replacing("-", with: "_")) else {
                let known = SettingKey.allCases.map(\.rawValue) + [FilterSettings.key]
                let near = Spelling.nearest(to: written, in: known).map { "Did you mean \($0)?" }
                throw CommandFailure(
                    .badConfiguration,
                    "\(path), line \(pair.line): unknown key \(written). "
                        + (near ?? "docs/cli.md lists the keys."))
            }
            var values = try Self.values(of: pair.value, key, path: path)
            guard !values.contains("") else {
                throw CommandFailure(
                    .badConfiguration,
                    "\(path), line \(pair.line): \(written) has no value. Give it one, or remove the line.")
            }
            let isKeyFile = key == .encryptWith && !EncryptionSettings.isVariable(values.first ?? "")
            if key.isPath || isKeyFile { values = values.map { Self.beside(path, $0) } }
            if key == .clientCertificate {
                values = values.map { ClientCertificateText.mapPaths(in: $0) { Self.beside(path, $0) } }
            }
            entries[key] = Settings.Entry(values: values, source: .file(path, line: pair.line))
        }
        return (entries, filters)
    }

    /// `playback_repeats: true`, as cassettes of Ruby's VCR are configured, means `repeats: last`.
    private static func rubyRepeats(_ key: String, _ value: YAMLNode, path: String) throws -> String? {
        guard key.replacing("-", with: "_") == "playback_repeats" else { return nil }
        switch value.text?.lowercased() {
        case "true", "yes", "on", "1": return Repeats.last.rawValue
        case "false", "no", "off", "0": return Repeats.none.rawValue
        default:
            throw CommandFailure(
                .badConfiguration, "\(path), line \(value.line): playback_repeats takes true or false.")
        }
    }

    /// A path in the file, seen from the file's folder: the project may be entered in any of its folders.
    private static func beside(_ file: String, _ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + (path.hasPrefix("./") ? String(path.dropFirst(2)) : path)
    }

    private static func values(of node: YAMLNode, _ key: SettingKey, path: String) throws -> [String] {
        switch node.content {
        case .scalar(let text, _):
            guard key.shape == .list, !key.isUnsplit else { return [text] }
            return text.split(separator: ",").map { String($0.trimmingSpaces()) }
        case .sequence(let items) where key.shape == .list:
            return try items.map { item in
                guard let text = item.text else {
                    throw CommandFailure(
                        .badConfiguration, "\(path), line \(item.line): \(key.rawValue) takes a list of plain values.")
                }
                return text
            }
        case .mapping(let entries) where key == .jsonOverrides:
            return try entries.map { entry in
                guard case .scalar(let text, let isPlain) = entry.value.content else {
                    throw CommandFailure(
                        .badConfiguration,
                        "\(path), line \(entry.value.line): \(entry.key) takes one value; write JSON in quotes.")
                }
                // Quotes in the file mean a string, unless they were needed to write JSON.
                let isContainer = text.hasPrefix("{") || text.hasPrefix("[")
                return "\(entry.key)=\(isPlain || isContainer ? text : JSONText.string(text))"
            }
        case .sequence, .mapping:
            let wanted = key.shape == .list ? "a list of plain values" : "one plain value"
            throw CommandFailure(.badConfiguration, "\(path), line \(node.line): \(key.rawValue) takes \(wanted).")
        }
    }
}
