/// Which requests take part in a session, and which are only passed on (recording.md section 2).
public struct TrafficRules: Sendable, Hashable {
    /// What happens to a request or a tunnel.
    public enum Decision: Sendable, Hashable {
        /// CONNECT is spliced; TLS stays untouched.
        case tunnel
        /// Decrypted and relayed, not recorded; in every mode.
        case ignore
        /// Playback and recording.
        case takePart
    }

    /// When not empty, only these hosts take part; the others are passed on.
    public var only: [HostPattern]
    /// Hosts that are decrypted and relayed but not recorded.
    public var ignore: [HostPattern]
    /// Hosts whose tunnels are spliced.
    public var tunnel: [HostPattern]
    /// URLs that contain one of these take part too (Relay's `urlKeywords`); with these or `only`, others do not.
    public var urlKeywords: [String]
    /// URLs that contain one of these are relayed but not recorded.
    public var ignoredKeywords: [String]

    /// Creates rules; without any, everything takes part.
    public init(
        only: [HostPattern] = [], ignore: [HostPattern] = [], tunnel: [HostPattern] = [], urlKeywords: [String] = [],
        ignoredKeywords: [String] = []
    ) {
        self.only = only
        self.ignore = ignore
        self.tunnel = tunnel
        self.urlKeywords = urlKeywords
        self.ignoredKeywords = ignoredKeywords
    }

    /// Whether no rule is set.
    public var isEmpty: Bool {
        self.only.isEmpty && self.ignore.isEmpty && self.tunnel.isEmpty && self.urlKeywords.isEmpty
            && self.ignoredKeywords.isEmpty
    }

    /// Decides about a request, or about a CONNECT when there is no `url` yet.
    ///
    /// Order: tunnel, ignore, the rest. What neither `only` nor the keywords name is ignored; for a CONNECT the
    /// keywords are not asked, since the URL is known only inside.
    public func decision(host: String, port: Int, url: String? = nil) -> Decision {
        if self.isEmpty { return .takePart }
        if self.tunnel.contains(where: { $0.matches(host: host, port: port) }) { return .tunnel }
        if self.ignore.contains(where: { $0.matches(host: host, port: port) }) { return .ignore }
        if let url, self.ignoredKeywords.contains(where: { contains(url, $0) }) { return .ignore }
        if self.only.isEmpty, self.urlKeywords.isEmpty { return .takePart }
        if self.only.contains(where: { $0.matches(host: host, port: port) }) { return .takePart }
        if !self.urlKeywords.isEmpty {
            guard let url else { return .takePart }
            if self.urlKeywords.contains(where: { contains(url, $0) }) { return .takePart }
        }
        return .ignore
    }
}
