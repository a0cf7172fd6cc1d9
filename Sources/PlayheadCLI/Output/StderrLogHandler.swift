import Logging
import PlayheadCassette

/// Log lines on stderr, as text or as one JSON object each.
struct StderrLogHandler: LogHandler {
    /// How a line looks.
    enum Format: String, Sendable { case text, json }

    var format: Format
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    let now: @Sendable () -> Timestamp

    init(format: Format, level: Logger.Level, now: @escaping @Sendable () -> Timestamp) {
        self.format = format
        self.logLevel = level
        self.now = now
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let facts = self.metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        switch self.format {
        case .text:
            let tail = facts.map { " \($0.key)=\"\($0.value)\"" }.joined()
            Terminal.talk("playhead: \(event.level): \(event.message)\(tail)")
        case .json:
            var fields = [
                ("time", self.now().description), ("level", "\(event.level)"), ("message", "\(event.message)"),
            ]
            fields += facts.map { ($0.key, "\($0.value)") }
            Terminal.talk(JSONText.object(fields.map { ($0.0, JSONText.string($0.1)) }))
        }
    }
}
