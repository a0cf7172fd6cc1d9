import NIOCore
import PlayheadEngine
import PlayheadProxy

extension SessionSetup {
    /// How many cassettes clients may have open by name, and when one that nobody uses is closed.
    func sessionBounds() throws -> (limit: Int, idle: TimeAmount?) {
        let limit = try self.settings.parsed(
            .maxSessions, default: SessionRegistry.standardLimit, expected: "a whole number from 0 to 65536"
        ) { text in Int(text).flatMap { (0...65_536).contains($0) ? $0 : nil } }
        let idle = try self.settings.parsed(
            .sessionIdle, default: Int64?.some(3_600_000), expected: "a duration from 1s, such as 10m, or none",
            ValueParsers.idle)
        return (limit, idle.map { .milliseconds($0) })
    }

    /// Adds how recordings are played.
    func setPlayback(_ options: inout SessionOptions) throws {
        options.speed = try self.settings.parsed(
            .speed, default: .instant, expected: "instant, recorded, or a factor such as x10", PlaybackSpeed.parse)
        options.order = try self.settings.parsed(
            .playback, default: .momentary, expected: "momentary or chronological", PlaybackOrder.init(rawValue:))
        options.webSocketRule = try self.settings.parsed(
            .websocket, default: .strict, expected: "strict or lenient", WebSocketRule.init(rawValue:))
        do {
            options.changes.echo = try ValueEcho(self.settings.list(.valueEcho))
        } catch let error as EngineError {
            throw self.settings.error(.valueEcho, "is not usable: \(error)")
        }
        options.changes.refreshesDates = try self.settings.flag(.refreshDates)
        options.changes.templates = Templates(
            allowing: self.settings.list(.templateEnvironment), environment: self.host.environment)
        options.templated = try self.settings.flag(.templates)
    }
}
