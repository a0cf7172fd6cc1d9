import NIOCore
import PlayheadCassette
import PlayheadHTTP

/// The server's side of SOCKS5 (RFC 1928) with user name and password (RFC 1929): octets in, steps out, no I/O.
struct SOCKSConversation {
    enum Step: Equatable {
        /// More octets are needed.
        case wait
        case send([UInt8])
        /// The client says who it is; `authenticated` goes on.
        case authenticate(user: String, password: [UInt8])
        /// The client is a proxy and says, as a value of `Via`, where the connection came through.
        case told(via: String)
        /// The client asks for a tunnel; the rest belongs into it.
        case connect(Authority, rest: ByteBuffer)
        /// The last word, and why.
        case refuse([UInt8], String)
    }

    private enum State { case methods, trail, password, paused, request, over }

    private static let version: UInt8 = 5
    private let needsPassword: Bool
    private var state = State.methods
    private var input = ByteBuffer()
    private var methods: [UInt8] = []

    /// - Parameter needsPassword: whether a client that offers no password is refused.
    init(needsPassword: Bool) { self.needsPassword = needsPassword }

    /// The reply to a request with an unspecified address.
    static func reply(_ code: UInt8) -> [UInt8] { [Self.version, code, 0, 1, 0, 0, 0, 0, 0, 0] }

    /// The reply's code for a failure of the way to the origin (RFC 1928 section 6).
    static func code(_ failure: UpstreamFailure) -> UInt8 {
        if failure.isRefusal { return 2 }
        switch failure.kind {
        case .refused: return 5
        case .unreachable: return 3
        case .dns, .timeout: return 4
        case .tls, .reset, .closed, .malformed, .clientLeft, .stopped: return 1
        }
    }

    /// The octets that were received and not yet read.
    var bufferedBytes: Int { self.input.readableBytes }

    mutating func append(_ octets: ByteBuffer) { self.input.writeImmutableBuffer(octets) }

    /// The next step; after `wait`, `authenticate`, `connect` and `refuse` there is none until more is known.
    mutating func next() -> Step {
        switch self.state {
        case .methods: return self.chooseMethod()
        case .trail: return self.readTrail()
        case .password: return self.readPassword()
        case .request: return self.readRequest()
        case .paused, .over: return .wait
        }
    }

    /// Goes on after `authenticate`.
    mutating func authenticated() -> Step {
        self.state = .request
        return .send([1, 0])
    }

    /// Ends after `authenticate`.
    mutating func rejected(_ reason: String) -> Step {
        self.state = .over
        return .refuse([1, 1], reason)
    }

    private mutating func chooseMethod() -> Step {
        let start = self.input.readerIndex
        guard let count = self.input.getInteger(at: start + 1, as: UInt8.self),
            let methods = self.input.getBytes(at: start + 2, length: Int(count))
        else { return .wait }
        self.input.moveReaderIndex(forwardBy: 2 + Int(count))
        self.methods = methods
        guard !methods.contains(SOCKSTrail.code) else {
            self.state = .trail
            return .send([Self.version, SOCKSTrail.code])
        }
        return self.chooseAuthentication()
    }

    private mutating func readTrail() -> Step {
        switch SOCKSTrail.read(&self.input) {
        case .wait: return .wait
        case .malformed: return self.refused(1, "its trail cannot be read")
        case .via(let text):
            self.state = .methods
            return .told(via: text)
        }
    }

    /// Goes on after `told`.
    mutating func chooseAuthentication() -> Step {
        let methods = self.methods
        // Who offers a password wants to say who it is: the user names the session.
        if methods.contains(2) {
            self.state = .password
            return .send([Self.version, 2])
        }
        guard methods.contains(0), !self.needsPassword else {
            self.state = .over
            return .refuse(
                [Self.version, 0xFF],
                self.needsPassword
                    ? "it gave no user name and password (--require-auth)"
                    : "it offered no way of authentication we know")
        }
        self.state = .request
        return .send([Self.version, 0])
    }

    private mutating func readPassword() -> Step {
        let start = self.input.readerIndex
        guard let version = self.input.getInteger(at: start, as: UInt8.self) else { return .wait }
        guard version == 1 else { return self.rejected("its authentication is not that of RFC 1929") }
        guard let userLength = self.input.getInteger(at: start + 1, as: UInt8.self).map(Int.init),
            let user = self.input.getBytes(at: start + 2, length: userLength),
            let length = self.input.getInteger(at: start + 2 + userLength, as: UInt8.self).map(Int.init),
            let password = self.input.getBytes(at: start + 3 + userLength, length: length)
        else { return .wait }
        self.input.moveReaderIndex(forwardBy: 3 + userLength + length)
        self.state = .paused
        return .authenticate(user: String(decoding: user, as: UTF8.self), password: password)
    }

    private mutating func readRequest() -> Step {
        let start = self.input.readerIndex
        guard let head = self.input.getBytes(at: start, length: 4) else { return .wait }
        guard head[0] == Self.version else { return self.refused(1, "its request is not SOCKS5") }
        guard head[1] == 1 else { return self.refused(7, "only the command CONNECT is served") }
        let length: Int
        switch head[3] {
        case 1: length = 4
        case 4: length = 16
        case 3:
            guard let count = self.input.getInteger(at: start + 4, as: UInt8.self) else { return .wait }
            length = 1 + Int(count)
        default: return self.refused(8, "its kind of address is unknown")
        }
        guard let address = self.input.getSlice(at: start + 4, length: length),
            let port = self.input.getInteger(at: start + 4 + length, as: UInt16.self)
        else { return .wait }
        self.input.moveReaderIndex(forwardBy: 6 + length)
        guard let authority = Self.authority(address, isName: head[3] == 3, port: Int(port)) else {
            return self.refused(1, "its address is no host and port")
        }
        self.state = .over
        let rest = self.input
        self.input = ByteBuffer()
        return .connect(authority, rest: rest)
    }

    private mutating func refused(_ code: UInt8, _ reason: String) -> Step {
        self.state = .over
        return .refuse(Self.reply(code), reason)
    }

    /// The asked place, by the same rules as that of CONNECT.
    private static func authority(_ address: ByteBuffer, isName: Bool, port: Int) -> Authority? {
        let text: String
        if isName {
            var name = address
            name.moveReaderIndex(forwardBy: 1)
            text = "\(String(buffer: name)):\(port)"
        } else {
            guard let ip = try? SocketAddress(packedIPAddress: address, port: port).ipAddress else { return nil }
            text = ip.utf8.contains(UInt8(ascii: ":")) ? "[\(ip)]:\(port)" : "\(ip):\(port)"
        }
        guard let (host, port) = try? RequestTarget.parseAuthority(text), let port else { return nil }
        return Authority(host: host, port: port)
    }
}
