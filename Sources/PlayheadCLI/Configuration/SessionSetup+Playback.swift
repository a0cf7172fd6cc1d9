import PlayheadEngine
import PlayheadProxy

extension SessionSetup {
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
