import NIOCore
import NIOPosix
import PlayheadTLS

/// The way to an origin through a proxy.
extension Dialler {
    /// Whether plain requests to an origin are handed to a proxy, in absolute form; else it is asked for tunnels.
    ///
    /// Where `--map` leads elsewhere a tunnel is asked, since a proxy would write the mapped address into `Host`.
    func forwardedForm(for target: UpstreamTarget) -> ForwardedForm? {
        guard target.isPlainHTTP, let proxy = self.routes.proxy(for: target), proxy.kind != .socks5 else { return nil }
        let authority = Authority(host: target.host, port: target.port)
        return self.address(of: target) == authority ? ForwardedForm(proxy: proxy, authority: authority) : nil
    }

    /// Whether the server of a reverse port is on this machine, where it may be a proxy that leads back.
    func isLocal(_ target: UpstreamTarget) -> Bool { ReverseDoor.isLocal(self.address(of: target).host) }

    func connect(
        _ target: UpstreamTarget, through proxy: UpstreamProxy, on eventLoop: any EventLoop,
        handler: some ChannelHandler, _ completion: @escaping (UpstreamFailure?) -> Void
    ) {
        let address = self.address(of: target)
        self.refusal(behindProxy: address, on: eventLoop) { refusal in
            if let refusal { return completion(refusal) }
            let opened = eventLoop.makePromise(of: Void.self)
            var handlers: [any ChannelHandler] = []
            if proxy.kind == .https { handlers.append(self.tls(for: proxy)) }
            handlers.append(
                TunnelHandler(
                    proxy: proxy, target: address, negotiation: self.negotiation(target, address, proxy),
                    seconds: self.timeouts.connect, opened: opened))
            if target.isSecure { handlers.append(self.tls(for: target)) }
            handlers.append(handler)
            opened.futureResult.assumeIsolated().whenComplete { result in
                switch result {
                case .success: completion(nil)
                case .failure(let error): completion(UpstreamPool.failure(from: error, target: target))
                }
            }
            self.dial(proxy.address, on: eventLoop, handlers) { error in
                guard let error else { return }
                let hop = UpstreamTarget(isSecure: false, host: proxy.host, port: proxy.port)
                opened.fail(
                    UpstreamFailure.proxyUnreachable(proxy, UpstreamPool.failure(from: error, target: hop)))
            }
        }
    }

    private func negotiation(
        _ target: UpstreamTarget, _ address: Authority, _ proxy: UpstreamProxy
    ) -> (any TunnelNegotiation)? {
        switch proxy.kind {
        case .socks5: SOCKS5Negotiation(proxy: proxy, target: address, via: target.trail.via(adding: self.name))
        case .http, .https:
            self.forwardedForm(for: target) == nil
                ? ConnectNegotiation(
                    proxy: proxy, target: address, fields: [("Via", target.trail.via(adding: self.name))]) : nil
        }
    }

    private func tls(for proxy: UpstreamProxy) -> TLSHandler {
        let trust = self.isInsecure(proxy.host, proxy.port) ? self.unverified : self.proxyTLS
        return TLSHandler(
            connecting: trust, host: proxy.host, identity: self.identity(proxy.host, proxy.port),
            handshakeTimeout: .seconds(Int64(self.timeouts.handshake)))
    }

    /// The guard's word about an address that the proxy will resolve and connect to.
    ///
    /// Names are the proxy's business, and may mean nothing here. But numeric forms and `localhost` are known, and a
    /// name with a port of ours is looked up, since a proxy on this machine would lead back to us.
    private func refusal(
        behindProxy address: Authority, on eventLoop: any EventLoop, _ completion: @escaping (UpstreamFailure?) -> Void
    ) {
        let (guardian, host, port) = (self.guardian, address.host, address.port)
        if let refusal = guardian.refusal(ofName: host) {
            return eventLoop.assumeIsolated().execute { completion(refusal) }
        }
        let isLocal = host == "localhost" || host.hasSuffix(".localhost")
        let known = try? CheckedResolver.lookUp(host: isLocal ? "127.0.0.1" : host, port: port, isNumeric: true).get()
        if known != nil || !guardian.isOwnPort(port) {
            let refusal = known?.lazy.compactMap { guardian.refusal(of: $0) }.first
            return eventLoop.assumeIsolated().execute { completion(refusal) }
        }
        CheckedResolver.threads.runIfActive(eventLoop: eventLoop) {
            try? CheckedResolver.lookUp(host: host, port: port).get().lazy.compactMap { guardian.refusal(of: $0) }.first
        }.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let refusal): completion(refusal)
            case .failure: completion(.dns(host, .unknown))
            }
        }
    }
}
