import PlayheadHTTP

/// Who may use the proxy.
public struct ProxyGate: Sendable, Equatable {
    /// What a client must give as its password; nil asks for none.
    public var token: String?
    /// The networks that clients may come from; empty means all.
    public var ranges: [AddressRange]

    /// Everybody may.
    public static let open = ProxyGate()

    /// Creates a gate.
    public init(token: String? = nil, ranges: [AddressRange] = []) {
        self.token = token
        self.ranges = ranges
    }

    /// Whether a client may come from an address; one without an address is on this machine.
    func admits(address: String?) -> Bool {
        guard !self.ranges.isEmpty, let address else { return true }
        return self.ranges.contains { $0.contains(address) }
    }

    /// Whether a request is answered 407: it came straight to the proxy, without the token, and wants more than our
    /// certificate.
    func bars(_ head: RequestHead, _ framing: BodyFraming, through door: Door) -> Bool {
        guard case .proxy = door, !self.admits(head.headers) else { return false }
        if case .certificate? = try? RequestIntent(head, framing, through: door) { return false }
        return true
    }

    /// Whether a request carries the token.
    func admits(_ headers: HeaderList) -> Bool {
        self.token == nil || ProxyCredentials.read(headers).map { self.admits(password: $0.password) } == true
    }

    /// Whether a password is the token; the time it takes tells nothing but the length.
    func admits(password: [UInt8]) -> Bool {
        guard let token = self.token else { return true }
        let expected = Array(token.utf8)
        guard expected.count == password.count else { return false }
        var difference: UInt8 = 0
        for (ours, theirs) in zip(expected, password) { difference |= ours ^ theirs }
        return difference == 0
    }
}

extension OwnResponse {
    /// Asks for the token.
    static var tokenWanted: OwnResponse {
        var response = OwnResponse.error(
            status: 407,
            reason: "This proxy wants a token (--require-auth). Give it as the password of the proxy's URL: "
                + "http://SESSION:TOKEN@HOST:PORT. The ready line of `playhead serve` names the file that holds it.")
        response.head.headers.append(name: "Proxy-Authenticate", value: "Basic realm=\"playhead\"")
        return response
    }
}
