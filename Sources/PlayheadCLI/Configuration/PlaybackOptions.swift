import ArgumentParser

/// The options that say how recordings are played.
struct PlaybackOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "When answers come: instant, recorded (at the recorded times), or a factor such as x10. (default: instant)",
            valueName: "speed"))
    var speed: String?

    @Option(
        help: ArgumentHelp(
            "Whether concurrent answers keep the recorded order: momentary or chronological. (default: momentary)",
            valueName: "order"))
    var playback: String?

    @Option(
        help: ArgumentHelp(
            "What a client of a recorded WebSocket may say: strict (the recorded messages, in order) or lenient. "
                + "(default: strict)", valueName: "rule"))
    var websocket: String?

    @Option(
        help: ArgumentHelp(
            "Request values that replayed responses mirror: names, JSONPaths, or all.", valueName: "list"))
    var valueEcho: [String] = []

    @Flag(help: "Shift the dates in replayed responses by the age of the recording.")
    var refreshDates = false

    @Flag(help: "Fill in {{request.query.NAME}}, {{now}}, {{uuid}} and the like in replayed responses.")
    var templates = false

    @Option(help: ArgumentHelp("Variables that {{env.NAME}} may tell.", valueName: "list"))
    var templateEnv: [String] = []

    /// The flags that were given, by setting.
    var flags: [SettingKey: [String]] {
        var flags: [SettingKey: [String]] = [.valueEcho: self.valueEcho, .templateEnvironment: self.templateEnv]
        let singles: [(SettingKey, String?)] = [
            (.speed, self.speed), (.playback, self.playback), (.refreshDates, self.refreshDates ? "true" : nil),
            (.templates, self.templates ? "true" : nil), (.websocket, self.websocket),
        ]
        for (key, value) in singles { if let value { flags[key] = [value] } }
        return flags
    }
}
