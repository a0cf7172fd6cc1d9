import Logging
import NIOCore
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
        let grace = try settings.parsed(
            .shutdownGrace, default: 8000, expected: "a duration such as 8s", ValueParsers.milliseconds)
        var proxy = try self.setup.proxySettings()
        let isOpen = listen.contains { !Self.isLoopback($0.host) }
        proxy.refusesMetadata = try isOpen && !settings.flag(.allowMetadata)
        let authority = try self.setup.persistentAuthority()
        let options = try self.setup.sessionOptions()
        let session = try CassetteSession.open(options, clock: self.setup.host.now)
        let sessions = SessionRegistry(standard: session, options: options)
        for notice in session.notices { Terminal.talk("playhead: \(notice)") }
        if session.plan.mode != .none { self.setup.warnOfInsecureHosts() }
        let server: ProxyServer
        do {
            server = try await ProxyServer.start(
                ProxyServer.Configuration(
                    listen: listen, settings: proxy,
                    upstreamRoots: try self.setup.upstreamRoots(),
                    systemBundle: SystemRoots(environment: self.setup.host.environment).bundlePath()),
                authority: authority, sessions: sessions, logger: logger)
        } catch {
            _ = try? sessions.close()
            throw error
        }
        if try isOpen && !settings.flag(.quiet) {
            Terminal.talk(
                "playhead: warning: listening off loopback: every host that reaches this port can use the proxy.")
        }
        do { try self.announce(server, session: session) } catch {
            await server.shutDown(grace: 0)
            _ = try? sessions.close()
            throw error
        }
        await signals.first()
        signals.exitOnNext()
        await server.shutDown(grace: Int((grace + 999) / 1000))
        return try verdict.report(try sessions.close(), childCode: 0)
    }

    /// Says that the proxy is ready, on stdout and in the files that were asked for.
    private func announce(_ server: ProxyServer, session: CassetteSession) throws {
        let bound = server.addresses.map { address in
            ListenAddress(host: address.ipAddress ?? "127.0.0.1", port: address.port ?? 0).description
        }
        let certificate =
            self.setup.settings.text(.caCertificate).map(self.setup.host.absolute)
            ?? self.setup.caDirectory + "/ca.pem"
        let json = JSONText.object([
            ("event", JSONText.string("ready")), ("version", JSONText.string(Version.number)),
            ("listen", JSONText.array(bound.map(JSONText.string))), ("ca_file", JSONText.string(certificate)),
            ("cassette", JSONText.string(session.location.file)), ("mode", JSONText.string(session.plan.mode.rawValue)),
            ("records", session.plan.records ? "true" : "false"),
        ])
        if let file = self.setup.settings.text(.readyFile) {
            try FileText.replace(self.setup.host.absolute(file), with: json + "\n")
        }
        if let file = self.setup.settings.text(.portFile), let port = server.addresses.first?.port {
            try FileText.replace(self.setup.host.absolute(file), with: "\(port)\n")
        }
        if self.setup.settings.text(.logFormat) == "json" { return Terminal.result(json) }
        Terminal.result(
            "playhead: ready on \(bound.joined(separator: ", ")), cassette \(session.location.file), CA \(certificate); "
                + session.plan.explanation)
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
