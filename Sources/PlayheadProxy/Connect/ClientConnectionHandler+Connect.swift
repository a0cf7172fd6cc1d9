import Logging
import NIOCore
import PlayheadCA
import PlayheadEngine
import PlayheadHTTP
import PlayheadTLS

extension ClientConnectionHandler {
    /// Answers CONNECT (RFC 9110 section 9.3.6): intercepts the tunnel, or splices it through where a rule says so.
    func connect(_ head: RequestHead) throws {
        let (host, port) = try RequestTarget.parseAuthority(head.target)
        guard let port else {
            return self.refuse(status: 400, "CONNECT needs a port, as in CONNECT \(head.target):443.")
        }
        do { _ = try LeafName.validated(host) } catch {
            return self.refuse(status: 400, "\(host) is not a host name that a certificate can be made for.")
        }
        self.clientAgent = Self.shown(agent: head.headers.first("user-agent"))
        self.openTunnel(Authority(host: host, port: port), self.decoder.takeRemaining(), .http)
    }

    /// Begins a tunnel that a client asked for; the octets that wait belong into it.
    func openTunnel(_ authority: Authority, _ waiting: ByteBuffer, _ dialect: TunnelDialect) {
        self.decoder = HTTP1RequestDecoder()
        self.isRequestOpen = false
        self.hasServed = false
        self.opening = self.core.settings.http2 == .off ? nil : ByteBuffer()
        if case .tunnel = self.core.settings.traffic.decision(host: authority.host, port: authority.port) {
            return self.passThrough(authority, waiting, dialect)
        }
        self.stage = .sniffing(authority)
        self.expect(.handshake)
        dialect.writeAccepted(into: &self.out)
        self.needsFlush = true
        if waiting.readableBytes > 0, let context = self.context { self.sniff(waiting, authority, context) }
    }

    /// A client's name for itself as far as it may be shown: it is the client's choice, and goes to a terminal.
    static func shown(agent: String?) -> String? {
        guard let agent else { return nil }
        let text = String(
            String.UnicodeScalarView(agent.unicodeScalars.lazy.filter { (0x20...0x7E).contains($0.value) }.prefix(80)))
        return text.isEmpty ? nil : text
    }

    /// Looks at the first octet inside an intercepted tunnel: TLS, HTTP, or something we do not speak.
    func sniff(_ octets: ByteBuffer, _ authority: Authority, _ context: ChannelHandlerContext) {
        guard let first = octets.getInteger(at: octets.readerIndex, as: UInt8.self) else { return }
        switch first {
        case 0x16:  // TLS handshake record, RFC 8446 section 5.1
            self.flushIfNeeded()
            self.stage = .tunnel(authority, isSecure: true)
            self.isTLSFinished = false
            let tls = TLSHandler(
                accepting: self.core.serverTLS, fallbackName: authority.host,
                handshakeTimeout: .seconds(Int64(self.core.settings.timeouts.handshake)))
            do {
                let pipeline = context.pipeline.syncOperations
                try pipeline.addHandler(tls, position: .before(self))
                // Straight to it: from the head of the pipeline the octets would meet the TLS with the proxy again.
                let place = try pipeline.context(handler: tls)
                tls.channelRead(context: place, data: self.wrapInboundOut(octets))
                tls.channelReadComplete(context: place)
            } catch {
                context.close(promise: nil)
            }
        case 0x41...0x5A, 0x61...0x7A, 0x0D, 0x0A:  // a method, as Node sends through CONNECT HOST:80
            self.stage = .tunnel(authority, isSecure: false)
            self.expect(.head)
            self.receive(octets)
        default:
            self.stage = .tunnel(authority, isSecure: false)
            self.session.noteForeignTunnel(host: authority.host, "carried neither TLS nor HTTP")
            self.refuse(
                status: 501,
                "The tunnel to \(authority.description) carries neither TLS nor HTTP. Pass it through untouched with "
                    + "--tunnel \(authority.host).")
        }
    }

    /// Splices a tunnel: TLS stays untouched, nothing is recorded.
    private func passThrough(_ authority: Authority, _ waiting: ByteBuffer, _ dialect: TunnelDialect) {
        guard let context = self.context else { return }
        self.stage = .connecting
        self.expect(.nothing)
        let (client, origin) = SpliceHandler.pair()
        let target = UpstreamTarget(
            isSecure: false, host: authority.host, port: authority.port, isTunnel: true, trail: self.trail)
        self.loop.core.dialler.connect(target, on: context.eventLoop, handler: origin) { failure in
            guard case .connecting = self.stage, let context = self.context else { return origin.close() }
            if let failure { return self.tunnelFailed(failure, dialect) }
            self.session.countTunnel()
            dialect.writeAccepted(into: &self.out)
            self.needsFlush = true
            self.flush()
            var early = waiting
            var later = self.decoder.takeRemaining()
            early.writeBuffer(&later)
            do {
                try context.pipeline.syncOperations.addHandler(client, position: .before(self))
            } catch {
                return context.close(promise: nil)
            }
            if early.readableBytes > 0 { origin.forward(early) }
            context.channel.read()
        }
    }

    /// Says in the client's protocol that the way to the origin failed.
    private func tunnelFailed(_ failure: UpstreamFailure, _ dialect: TunnelDialect) {
        switch dialect {
        case .http:
            self.stage = .proxy
            self.refuse(status: failure.status, failure.message, proxyStatus: "error=\(failure.proxyError)")
        case .socks:
            self.core.logger.info("A SOCKS tunnel failed", metadata: ["reason": "\(failure.message)"])
            self.out.writeBytes(SOCKSConversation.reply(SOCKSConversation.code(failure)))
            self.finishConnection()
        }
    }

    /// A client broke off a TLS handshake with us: inside a tunnel, or with the proxy itself.
    func reportTLSFailure(_ error: TLSError) {
        switch self.stage {
        case .tunnel(let authority, _):
            self.core.reportClientTLSFailure(
                host: authority.host, error: error, agent: self.clientAgent, session: self.session)
        case .proxy where self.reverse != nil:
            self.session.warn(
                "a client refused our certificate at a reverse port (\(error.alert ?? error.message)); it needs our CA, or "
                    + "plain http")
        case .proxy:
            self.session.warn(
                "a client refused the proxy's own certificate (\(error.alert ?? error.message)); an https:// proxy URL "
                    + "needs our CA for the proxy too, as `curl --proxy-cacert ca.pem` gives it")
        case .sniffing, .connecting, .switched, .lingering, .closed: break
        }
    }
}
