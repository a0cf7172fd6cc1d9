import Logging
import NIOCore
import PlayheadAdmin
import PlayheadCA
import PlayheadCassette
import PlayheadEngine
import PlayheadProxy
import PlayheadTrust

/// One `playhead serve`, from the listeners to the exit code.
struct ServeSession {
    let setup: SessionSetup

    func run() async throws -> Int32 {
        let settings = self.setup.settings
        let logger = try self.setup.logger()
        let verdict = try Verdict(self.setup)
        ResourceLimits.prepare()
        // Before anything listens or is locked, so that an early signal is not lost.
        let signals = StopSignals()
        let addresses = try settings.parsedList(.listen, expected: "HOST:PORT", ValueParsers.listenAddress)
        let listen = addresses.isEmpty ? [ListenAddress(host: "127.0.0.1", port: 8080)] : addresses
        let reverse = try settings.parsedList(
            .reverse, expected: "[HOST:]PORT=URL such as 9000=https://api.example.com", ValueParsers.reverse)
        let grace = try settings.parsed(
            .shutdownGrace, default: 8000, expected: "a duration such as 8s", ValueParsers.milliseconds)
        var proxy = try self.setup.proxySettings()
        let isOpen = listen.contains { !$0.isLoopback }
        proxy.refusesMetadata = try isOpen && !settings.flag(.allowMetadata)
        let token = try settings.flag(.requireAuth) ? TokenFile.load(self.setup, for: .proxy) : nil
        proxy.gate = ProxyGate(
            token: token?.token.text,
            ranges: try settings.parsedList(.allowFrom, expected: "networks such as 10.0.0.0/8", AddressRange.init))
        let authority = try self.setup.persistentAuthority()
        var options = try self.setup.sessionOptions()
        // Only the admin API looks on.
        if settings.text(.admin) != "off" { options.log = ExchangeLog() }
        let bounds = try self.setup.sessionBounds()
        let session = try CassetteSession.open(options, clock: self.setup.host.now)
        let sessions = SessionRegistry(
            standard: session, options: options, limit: bounds.limit, idle: bounds.idle)
        for notice in session.notices { Terminal.talk("playhead: \(notice)") }
        if session.plan.mode != .none { self.setup.warnOfInsecureHosts() }
        let server: ProxyServer
        do {
            server = try await ProxyServer.start(
                ProxyServer.Configuration(
                    listen: listen, settings: proxy,
                    upstreamRoots: try self.setup.upstreamRoots(),
                    systemBundle: SystemRoots(environment: self.setup.host.environment).bundlePath(), reverse: reverse),
                authority: authority, sessions: sessions, logger: logger)
        } catch {
            _ = try? sessions.close()
            throw error
        }
        if try isOpen && proxy.gate == .open && !settings.flag(.quiet) {
            Terminal.talk(
                "playhead: warning: listening off loopback: every host that reaches this port can use the proxy. Ask for a "
                    + "token with --require-auth, or name the networks with --allow-from.")
        }
        if try proxy.gate.ranges.isEmpty && !settings.flag(.quiet) {
            for listener in reverse where !listener.address.isLoopback {
                Terminal.talk(
                    "playhead: warning: every host that reaches \(listener.address) can use \(listener.origin) through it. "
                        + "Name the networks with --allow-from.")
            }
        }
        var tokenFile: String?
        defer { if let tokenFile { TokenFile.removeOwn(tokenFile) } }
        var admin: AdminListener?
        do {
            admin = try await AdminListener.start(
                self.setup, proxy: server, sessions: sessions, authority: authority)
            tokenFile = try token?.publish(port: server.addresses.first?.port ?? 0)
            try self.share(authority, server)
            try self.announce(
                server, reverse: reverse.map(\.origin), admin: admin, session: session, token: token,
                tokenFile: tokenFile)
        } catch {
            await admin?.stop()
            await server.shutDown(grace: 0)
            _ = try? sessions.close()
            throw error
        }
        await signals.first()
        signals.exitOnNext()
        admin?.server.setReady(false)
        await server.shutDown(grace: Int((grace + 999) / 1000))
        await admin?.stop()
        let staged = server.staged.totals
        return try verdict.report(
            try sessions.close(), childCode: 0, staged: staged.mocked + staged.faulted)
    }

    /// Writes the public files for clients in other containers, where that was asked for.
    private func share(_ authority: CertificateAuthority, _ server: ProxyServer) throws {
        let settings = self.setup.settings
        guard let folder = settings.text(.shareCA) else { return }
        let url =
            settings.text(.advertise)
            ?? Self.bound(server).first.map { "http://\($0.reachable.description)" } ?? "http://127.0.0.1:8080"
        try SharedCA(setup: self.setup).write(authority, into: self.setup.host.absolute(folder), proxyURL: url)
    }

    private static func bound(_ server: ProxyServer) -> [ListenAddress] {
        server.addresses.map(Self.address)
    }

    private static func address(_ bound: SocketAddress) -> ListenAddress {
        ListenAddress(host: bound.ipAddress ?? "127.0.0.1", port: bound.port ?? 0)
    }

    /// Says that the proxy is ready, on stdout and in the files that were asked for.
    private func announce(
        _ server: ProxyServer, reverse: [ReverseOrigin], admin: AdminListener?, session: CassetteSession,
        token: TokenFile?, tokenFile: String?
    ) throws {
        let ports = zip(server.reverseAddresses, reverse).map { (Self.address($0), $1.description) }
        let bound = Self.bound(server).map(\.description)
        let certificate =
            self.setup.settings.text(.caCertificate).map(self.setup.host.absolute)
            ?? self.setup.caDirectory + "/ca.pem"
        let places = ports.map {
            JSONText.object([("listen", JSONText.string("\($0)")), ("url", JSONText.string($1))])
        }
        let adminFields = [
            ("reverse", ports.isEmpty ? nil : JSONText.array(places)),
            ("admin", admin.map { JSONText.string($0.url) }),
            ("admin_token_file", admin?.tokenFile.map(JSONText.string)),
            ("proxy_token_file", tokenFile.map(JSONText.string)),
            ("share_ca", self.setup.settings.text(.shareCA).map { JSONText.string(self.setup.host.absolute($0)) }),
        ].compactMap { name, value in value.map { (name, $0) } }
        let json = JSONText.object(
            [
                ("event", JSONText.string("ready")), ("version", JSONText.string(Version.number)),
                ("listen", JSONText.array(bound.map(JSONText.string))),
                ("ca_file", JSONText.string(certificate)),
                ("cassette", JSONText.string(session.location.file)),
                ("mode", JSONText.string(session.plan.mode.rawValue)),
                ("records", session.plan.records ? "true" : "false"),
            ] + adminFields)
        admin?.server.setReady(true)
        if let file = self.setup.settings.text(.readyFile) {
            try self.setup.write(Array((json + "\n").utf8), to: file, .readyFile)
        }
        if let file = self.setup.settings.text(.portFile), let port = server.addresses.first?.port {
            try self.setup.write(Array("\(port)\n".utf8), to: file, .portFile)
        }
        if self.setup.settings.text(.logFormat) == "json" { return Terminal.result(json) }
        Terminal.result(
            "playhead: ready on \(bound.joined(separator: ", "))"
                + ports.map { ", \($0) for \($1)" }.joined()
                + ", cassette \(session.location.file), CA \(certificate); "
                + session.plan.explanation + (tokenFile.map { "; token in \($0)" } ?? "")
                + (admin.map { "; admin API \($0.url)" } ?? ""))
        // A person sees the tokens once; a log does not.
        if let token, Terminal.isResultInteractive {
            let file = tokenFile.map { ", also in \($0)" } ?? ""
            Terminal.talk("playhead: the proxy's token is \(token.token.text)\(file)")
        }
        if let admin, Terminal.isResultInteractive {
            let file = admin.tokenFile.map { ", also in \($0)" } ?? ""
            Terminal.talk("playhead: the admin API's token is \(admin.server.token)\(file)")
        }
    }
}
