import PlayheadCassette

extension Settings {
    /// Reads all sources: flags, variables, and the file that was named or is found upwards.
    static func load(flags: [SettingKey: [String]], configFile: String?, host: HostEnvironment) throws -> Settings {
        var file: ConfigurationFile?
        if let path = configFile ?? host.environment["PLAYHEAD_CONFIG"], !path.isEmpty {
            // The usual way to say "none".
            if path != "/dev/null" { file = try ConfigurationFile(path: host.absolute(path)) }
        } else if let path = ConfigurationFile.find(from: host.workingFolder) {
            file = try ConfigurationFile(path: path)
        }
        for warning in Self.suspects(in: host.environment) { Terminal.talk("playhead: warning: \(warning)") }
        return Settings(flags: flags, environment: host.environment, file: file)
    }

    /// Variables that look like a misspelt setting; they would have no effect, and nobody would see why.
    static func suspects(in environment: [String: String]) -> [String] {
        let prefix = "PLAYHEAD_"
        let known = SettingKey.allCases.map(\.rawValue) + ["config"]
        return environment.keys.sorted().compactMap { name in
            let word = name.dropFirst(prefix.count).lowercased()
            guard name.hasPrefix(prefix), !known.contains(word), !Self.markers.contains(name),
                let near = Spelling.nearest(to: word, in: known)
            else { return nil }
            return "the variable \(name) is unknown and has no effect. Did you mean \(prefix)\(near.uppercased())?"
        }
    }

    /// What `run` sets for its child, and what is no setting since it is a secret.
    private static let markers: Set<String> = [
        "PLAYHEAD_ACTIVE", "PLAYHEAD_PROXY_URL", "PLAYHEAD_CA_FILE", "PLAYHEAD_BUNDLE_FILE", "PLAYHEAD_RECORDED_AT",
        "PLAYHEAD_ENCRYPTION_KEY", "PLAYHEAD_ADMIN_URL", "PLAYHEAD_ADMIN_TOKEN",
        "PLAYHEAD_PROXY_TOKEN",
    ]
}
