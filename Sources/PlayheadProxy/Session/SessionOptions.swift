public import PlayheadCassette
public import PlayheadEngine

/// How a cassette is opened.
public struct SessionOptions: Sendable {
    /// Where the cassette is.
    public var location: CassetteLocation
    /// The cassette's path as people are told it.
    public var displayPath: String
    /// The asked record mode.
    public var mode: RecordMode
    /// Which recordings may answer a request.
    public var rules: MatchRules
    /// What happens after the last recording of a request was played.
    public var repeats: Repeats
    /// How fast recordings are played.
    public var speed: PlaybackSpeed
    /// Whether answers of concurrent requests wait for one another.
    public var order = PlaybackOrder.momentary
    /// How many milliseconds chronological playback waits, while nothing moves, for a request that does not come.
    public var patience: Int64 = 1000
    /// How closely a client must follow the recording of a WebSocket.
    public var webSocketRule = WebSocketRule.strict
    /// What is changed in each answer; its templates count only where `templated` or the cassette asks for them.
    public var changes = ReplayChanges()
    /// Whether templates are filled in for every cassette; `metadata: {templates: "true"}` asks for one.
    public var templated = false
    /// The source of random values in answers.
    public var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    /// What is changed before anything is stored or compared.
    public var filters: FilterChain
    /// What takes the place of values in the JSON of replayed responses.
    public var overrides: JSONOverrides
    /// What is removed before anything is stored.
    public var redactor: Redactor
    /// What the cassette says about its maker, such as `playhead 0.1.0`.
    public var recordedWith: String
    /// Records anew when the oldest exchange is older than this many milliseconds.
    public var reRecordAfter: Int64?
    /// Whether exchanges that were neither played nor recorded are removed at close.
    public var dropsUnused: Bool
    /// Whether to wait for another process that has the cassette open.
    public var waitsForLock: Bool
    /// Whether the summary says what became of each exchange, which a report needs.
    public var reportsExchanges = false
    /// What the session is called where it is observed.
    package var id = "default"
    /// Where exchanges are noted for those who look on; nil when nobody can.
    package var log: ExchangeLog?

    /// Whether an answer may be sent in one write, without waiting.
    var answersAtOnce: Bool { self.speed.isInstant && self.order == .momentary }

    /// Moves to another cassette, whose path is shown from where this one's is.
    package mutating func move(to location: CassetteLocation) {
        let base =
            self.location.file.hasSuffix(self.displayPath) ? self.location.file.dropLast(self.displayPath.count) : ""
        self.displayPath =
            location.file.hasPrefix(base) ? String(location.file.dropFirst(base.count)) : location.file
        self.location = location
    }

    /// Creates options with the product's defaults.
    public init(
        location: CassetteLocation, displayPath: String? = nil, mode: RecordMode = .once, rules: MatchRules = .standard,
        repeats: Repeats = .none, speed: PlaybackSpeed = .instant, filters: FilterChain = FilterChain(),
        overrides: JSONOverrides = .none,
        redactor: Redactor = .standard, recordedWith: String, reRecordAfter: Int64? = nil, dropsUnused: Bool = false,
        waitsForLock: Bool = false
    ) {
        self.location = location
        self.displayPath = displayPath ?? location.file
        self.mode = mode
        self.rules = rules
        self.repeats = repeats
        self.speed = speed
        self.filters = filters
        self.overrides = overrides
        self.redactor = redactor
        self.recordedWith = recordedWith
        self.reRecordAfter = reRecordAfter
        self.dropsUnused = dropsUnused
        self.waitsForLock = waitsForLock
    }
}
