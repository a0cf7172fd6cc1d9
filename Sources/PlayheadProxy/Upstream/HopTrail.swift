import PlayheadHTTP

/// The instances of Playhead that a request came through, as `Via` tells them (RFC 9110 section 7.6.3).
///
/// Origins are told nothing. But towards another proxy, or from a reverse port to a server on this machine, each
/// instance adds its name, so that one that sees its own name again knows that it was reached through itself.
struct HopTrail: Hashable, Sendable {
    /// A request that came through so many goes in circles, whoever it comes from.
    private static let limit = 16
    private static let prefix = "playhead-"
    private static let protocolVersion = "1.1 "

    private var names: [String] = []

    init() {}

    /// Reads the names from a request's fields.
    init(_ headers: HeaderList) {
        guard headers.contains("via") else { return }
        self.names = headers.members(of: "via").compactMap(Self.name)
    }

    /// Reads the names from a value of `Via`.
    init(via: String) { self.init(HeaderList([("Via", via)])) }

    /// A name that no other instance has.
    static func newName(_ random: UInt64 = .random(in: .min ... .max)) -> String {
        Self.prefix + String(random, radix: 16)
    }

    /// Takes the names off what goes to an origin; the words of other proxies stay.
    static func remove(from headers: inout HeaderList) {
        guard headers.contains("via") else { return }
        let members = headers.members(of: "via")
        let kept = members.filter { Self.name($0) == nil }
        guard kept.count < members.count else { return }
        headers.remove("via")
        if !kept.isEmpty { headers.append(name: "Via", value: kept.joined(separator: ", ")) }
    }

    /// Whether a request with this trail is back where it was.
    func isLoop(at name: String) -> Bool { self.names.count > Self.limit || self.names.contains(name) }

    /// The trail of a request inside a tunnel that was asked for with this one.
    func joined(_ other: HopTrail) -> HopTrail {
        var joined = self
        joined.names += other.names.filter { !self.names.contains($0) }
        return joined
    }

    /// The value of `Via` for the next proxy.
    func via(adding name: String) -> String {
        (self.names + [name]).map { Self.protocolVersion + $0 }.joined(separator: ", ")
    }

    private static func name(_ member: String) -> String? {
        let words = member.split(separator: " ")
        guard words.count >= 2, words[1].hasPrefix(Self.prefix) else { return nil }
        return String(words[1])
    }
}

extension OwnResponse {
    /// A request that has been here before.
    static var loop: OwnResponse {
        .error(
            status: 508,
            reason:
                "This request came through this proxy before: it was reached through itself or through another proxy. "
                + "Check --upstream-proxy and --reverse of each.", proxyStatus: "error=proxy_loop_detected")
    }
}
