import NIOCore
import PlayheadTLS

/// A tunnel asked of a SOCKS5 proxy (RFC 1928), with user name and password if we have them (RFC 1929).
///
/// Names go to the proxy as names: it is the one that resolves them.
struct SOCKS5Negotiation: TunnelNegotiation {
    private enum State { case start, method, authentication, reply }

    private static let version: UInt8 = 5

    private let proxy: UpstreamProxy
    private let target: Authority
    /// Where the connection came through, for a proxy that wants to know.
    private let trail: [UInt8]?
    private var hasToldTrail = false
    private var state = State.start
    private var received = ByteBuffer()

    /// - Parameter via: the instances of Playhead that the connection came through, with this one.
    init(proxy: UpstreamProxy, target: Authority, via: String? = nil) {
        self.proxy = proxy
        self.target = target
        self.trail = via.flatMap(SOCKSTrail.message)
    }

    mutating func start() -> ByteBuffer {
        self.state = .method
        // Method 0 is none, 2 is user name and password.
        var methods: [UInt8] = self.proxy.credentials == nil ? [0] : [0, 2]
        if self.trail != nil { methods.append(SOCKSTrail.code) }
        return ByteBuffer(bytes: [Self.version, UInt8(clamping: methods.count)] + methods)
    }

    mutating func receive(_ octets: ByteBuffer) -> TunnelStep {
        self.received.writeImmutableBuffer(octets)
        switch self.state {
        case .start: return .wait
        case .method: return self.methodChosen()
        case .authentication: return self.authenticated()
        case .reply: return self.replied()
        }
    }

    private mutating func methodChosen() -> TunnelStep {
        guard let version = self.received.getInteger(at: self.received.readerIndex, as: UInt8.self) else {
            return .wait
        }
        guard version == Self.version else {
            return .failed(.proxyMalformed(self.proxy, "it does not speak SOCKS5."))
        }
        guard let answer = self.received.readBytes(length: 2) else { return .wait }
        switch answer[1] {
        case 0: return self.request()
        case 2:
            guard let credentials = self.proxy.credentials else { return .failed(.proxyAuthentication(self.proxy)) }
            self.state = .authentication
            var octets = ByteBuffer(bytes: [1, UInt8(clamping: credentials.user.count)])
            octets.writeBytes(credentials.user)
            octets.writeInteger(UInt8(clamping: credentials.password.count))
            octets.writeBytes(credentials.password)
            return .send(octets)
        case SOCKSTrail.code:
            guard let trail = self.trail, !self.hasToldTrail else {
                return .failed(.proxyMalformed(self.proxy, "it chose a method that was not offered."))
            }
            self.hasToldTrail = true
            return .send(ByteBuffer(bytes: trail))
        default: return .failed(.proxyAuthentication(self.proxy))
        }
    }

    private mutating func authenticated() -> TunnelStep {
        guard let answer = self.received.readBytes(length: 2) else { return .wait }
        return answer[1] == 0 ? self.request() : .failed(.proxyAuthentication(self.proxy))
    }

    private mutating func request() -> TunnelStep {
        self.state = .reply
        var octets = ByteBuffer(bytes: [Self.version, 1, 0])
        switch TLSHost(self.target.host) {
        case .address(let address):
            octets.writeInteger(UInt8(address.count == 4 ? 1 : 4))
            octets.writeBytes(address)
        case .name(let name):
            guard let length = UInt8(exactly: name.utf8.count), length > 0 else {
                return .failed(.dns(self.target.host, .unknown))
            }
            octets.writeInteger(UInt8(3))
            octets.writeInteger(length)
            octets.writeString(name)
        }
        octets.writeInteger(UInt16(clamping: self.target.port))
        return .send(octets)
    }

    private mutating func replied() -> TunnelStep {
        let start = self.received.readerIndex
        guard self.received.readableBytes >= 5,
            let code = self.received.getInteger(at: start + 1, as: UInt8.self),
            let kind = self.received.getInteger(at: start + 3, as: UInt8.self),
            let first = self.received.getInteger(at: start + 4, as: UInt8.self)
        else {
            // A refusal may be cut short behind its code.
            if let code = self.received.getInteger(at: start + 1, as: UInt8.self), code != 0 {
                return .failed(.proxyRefused(self.proxy, self.target, socksCode: code))
            }
            return .wait
        }
        guard code == 0 else { return .failed(.proxyRefused(self.proxy, self.target, socksCode: code)) }
        let address: Int
        switch kind {
        case 1: address = 4
        case 3: address = 1 + Int(first)
        case 4: address = 16
        default: return .failed(.proxyMalformed(self.proxy, "its reply has an unknown kind of address."))
        }
        guard self.received.readBytes(length: 4 + address + 2) != nil else { return .wait }
        return .open(self.received)
    }
}
