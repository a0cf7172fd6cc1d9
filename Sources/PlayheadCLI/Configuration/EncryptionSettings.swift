import PlayheadCassette

/// Where the key of encrypted cassettes is: `KEYFILE`, `env:NAME`, or `env` for `PLAYHEAD_ENCRYPTION_KEY`.
struct EncryptionSettings {
    /// The variable that `env` means.
    static let variable = "PLAYHEAD_ENCRYPTION_KEY"

    let host: HostEnvironment

    /// Whether the text names a variable, not a file.
    static func isVariable(_ text: String) -> Bool { text == "env" || text.hasPrefix("env:") }

    /// Reads the key.
    ///
    /// - Throws: `CommandFailure` when there is none, or `CassetteError` when it is not usable.
    func key(_ text: String) throws -> CassetteKey {
        if Self.isVariable(text) {
            let name = text == "env" ? Self.variable : String(text.dropFirst(4))
            guard let value = self.host.environment[name], !value.isEmpty else {
                throw CommandFailure(
                    .badConfiguration,
                    "The key of the cassettes is missing: the variable \(name) of --encrypt-with \(text) is not set.")
            }
            return try self.key(Array(value.utf8), from: "the variable \(name)")
        }
        let path = self.host.absolute(text)
        guard let octets = FileText.read(path) else {
            throw CommandFailure(
                .system(.inputMissing),
                "The key of the cassettes is missing: \(path) cannot be read: \(FileText.lastError). "
                    + "Make one with: openssl rand -hex 32 > \(text)")
        }
        return try self.key(octets, from: path)
    }

    private func key(_ octets: [UInt8], from place: String) throws -> CassetteKey {
        var octets = octets
        // An editor's or echo's line end is not part of the key.
        while octets.last == 0x0a || octets.last == 0x0d { octets.removeLast() }
        do { return try CassetteKey(secret: octets) } catch {
            throw CommandFailure(.badConfiguration, "\(place): \(error.message).")
        }
    }
}
