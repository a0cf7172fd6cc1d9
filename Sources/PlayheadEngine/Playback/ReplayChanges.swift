public import PlayheadCassette

/// What is changed in a response each time it is replayed, since it depends on the request or on the time.
///
/// The cassette stays as it is. All of it is off by default, and then costs nothing.
public struct ReplayChanges: Sendable {
    /// Which values of the request the response mirrors.
    public var echo: ValueEcho
    /// Whether dates are shifted by the age of the recording.
    public var refreshesDates: Bool
    /// What fills in templates; nil leaves them as they are.
    public var templates: Templates?

    /// Creates changes.
    public init(echo: ValueEcho = .none, refreshesDates: Bool = false, templates: Templates? = nil) {
        self.echo = echo
        self.refreshesDates = refreshesDates
        self.templates = templates
    }

    /// Whether responses are played as they are.
    public var isEmpty: Bool { self.echo.isEmpty && !self.refreshesDates && self.templates == nil }

    /// The exchange as it answers this request at this time.
    ///
    /// - Parameter random: the source of `{{uuid}}`.
    public func applied(
        to exchange: Exchange, for request: IncomingRequest, now: Timestamp, random: () -> UInt64
    ) -> Exchange {
        var result = exchange
        if !self.echo.isEmpty { result = self.echo.applied(to: result, for: request) }
        if self.refreshesDates { result = DateRefresh.applied(to: result, now: now) }
        guard let templates = self.templates else { return result }
        return withoutActuallyEscaping(random) { random in
            templates.applied(to: result, Templates.Moment(request: request, now: now, random: random))
        }
    }
}
