import PlayheadAdmin

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A token and the file that holds it, readable by its owner alone.
struct TokenFile {
    /// What a token opens.
    enum Purpose: String, CaseIterable {
        case admin, proxy

        /// The variable that gives the token itself; an argument would be in every process list.
        var variable: String { "PLAYHEAD_\(self.rawValue.uppercased())_TOKEN" }

        fileprivate var key: SettingKey {
            switch self {
            case .admin: .adminTokenFile
            case .proxy: .proxyTokenFile
            }
        }
    }

    /// The variable of the admin API's token.
    static let variable = Purpose.admin.variable

    let token: AdminToken
    /// Where the text is to be written; nil when it came from there or from the variable.
    private let folder: String?
    private let named: String?
    private let isWritten: Bool
    private let purpose: Purpose

    /// The token of the variable, else of the named file, else a new one.
    static func load(_ setup: SessionSetup, for purpose: Purpose = .admin) throws -> TokenFile {
        if let text = setup.host.environment[purpose.variable], !text.isEmpty {
            guard let token = AdminToken(text) else {
                throw CommandFailure(
                    .badConfiguration,
                    "The variable \(purpose.variable) \(Self.shape). Make one with openssl rand -hex 32.")
            }
            return TokenFile(token: token, folder: nil, named: nil, isWritten: true, purpose: purpose)
        }
        if let named = setup.settings.text(purpose.key).map(setup.host.absolute) {
            if let token = try Self.read(named) {
                return TokenFile(token: token, folder: nil, named: named, isWritten: true, purpose: purpose)
            }
            return TokenFile(token: Self.random(), folder: nil, named: named, isWritten: false, purpose: purpose)
        }
        return TokenFile(
            token: Self.random(), folder: setup.caDirectory, named: nil, isWritten: false, purpose: purpose)
    }

    /// The token of a running `serve`: of the variable, of the named file, else of the file that it made for its port.
    static func text(_ setup: SessionSetup, for purpose: Purpose, port: Int) throws -> String {
        if let text = setup.host.environment[purpose.variable], !text.isEmpty { return text }
        let path =
            setup.settings.text(purpose.key).map(setup.host.absolute)
            ?? Self.path(in: setup.caDirectory, port: port, for: purpose)
        guard let token = try Self.read(path) else {
            throw CommandFailure(
                .inputMissing,
                "There is no token in \(path). Is `playhead serve` running? Name its file with \(purpose.key.flag), or give the token in the variable "
                    + "\(purpose.variable).")
        }
        return token.text
    }

    /// Writes the token where clients look for it.
    ///
    /// - Returns: the file; nil when the variable gave the token.
    func publish(port: Int) throws -> String? {
        if self.isWritten { return self.named }
        guard let path = self.named ?? self.folder.map({ Self.path(in: $0, port: port, for: self.purpose) }) else {
            return nil
        }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try Self.makeFolder(String(path[..<slash])) }
        try FileText.replace(path, with: Array((self.token.text + "\n").utf8), mode: 0o600)
        return path
    }

    /// Where the token of a listener at this port is, unless the user named a file.
    static func path(in folder: String, port: Int, for purpose: Purpose = .admin) -> String {
        folder + "/\(purpose.rawValue)-\(port).token"
    }

    /// Removes a file that `publish` made in its own place; one that the user named stays.
    static func removeOwn(_ path: String) {
        let name = path.split(separator: "/").last ?? ""
        let isOwn = Purpose.allCases.contains { name.hasPrefix($0.rawValue + "-") }
        if isOwn, name.hasSuffix(".token") { unlink(path) }
    }

    /// The token in a file; nil when there is none.
    ///
    /// - Throws: `CommandFailure` when others can read the file or its text is no token.
    static func read(_ path: String) throws -> AdminToken? {
        var info = stat()
        guard stat(path, &info) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw CommandFailure(.system(.inputMissing), "The token in \(path) cannot be read: \(FileText.lastError).")
        }
        guard info.st_mode & 0o077 == 0 else {
            throw CommandFailure(
                .noPermission, "The token in \(path) can be read by others. Close it with chmod 600 \(path).")
        }
        guard let octets = FileText.read(path) else {
            throw CommandFailure(.system(.inputMissing), "The token in \(path) cannot be read: \(FileText.lastError).")
        }
        let text = String(decoding: octets, as: UTF8.self).filter { !$0.isWhitespace }
        if text.isEmpty { return nil }
        guard let token = AdminToken(text) else {
            throw CommandFailure(
                .badConfiguration, "The token in \(path) \(Self.shape). Remove the file, and one is made.")
        }
        return token
    }

    private static let shape = "is no token: 16 to 1024 octets of printable ASCII without spaces"

    private static func random() -> AdminToken {
        var generator = SystemRandomNumberGenerator()
        return AdminToken.random(using: &generator)
    }

    private static func makeFolder(_ path: String) throws {
        var info = stat()
        if stat(path, &info) == 0 { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try Self.makeFolder(String(path[..<slash])) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw CommandFailure(.system(.cannotWrite), "The folder \(path) cannot be made: \(FileText.lastError).")
        }
    }
}
