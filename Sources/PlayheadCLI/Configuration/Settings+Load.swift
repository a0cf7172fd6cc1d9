extension Settings {
    /// Reads all sources: flags, variables, and the file that was named or is found upwards.
    static func load(flags: [SettingKey: [String]], configFile: String?, host: HostEnvironment) throws -> Settings {
        var file: ConfigurationFile?
        if let path = configFile ?? host.environment["PLAYHEAD_CONFIG"], !path.isEmpty {
            file = try ConfigurationFile(path: host.absolute(path))
        } else if let path = ConfigurationFile.find(from: host.workingFolder) {
            file = try ConfigurationFile(path: path)
        }
        return Settings(flags: flags, environment: host.environment, file: file)
    }
}
