import Logging
import NIOCore
import PlayheadCA
import PlayheadCassette
import PlayheadEngine
import PlayheadProxy
import PlayheadTrust

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One `playhead run`, from the private proxy to the exit code.
struct RunSession {
    let setup: SessionSetup

    /// - Returns: the exit code of the contract.
    func run(_ command: [String]) async throws -> Int32 {
        let logger = try self.setup.logger()
        let verdict = try Verdict(self.setup)
        ResourceLimits.prepare()
        let authority = try self.setup.authorityForRun()
        let options = try self.setup.sessionOptions()
        let session = try CassetteSession.open(options, clock: self.setup.host.now)
        let sessions = SessionRegistry(standard: session, options: options)
        for notice in session.notices { Terminal.talk("playhead: \(notice)") }
        if session.plan.mode != .none { self.setup.warnOfInsecureHosts() }
        var code: Int32 = CommandFailure.Code.ownFailure.rawValue
        var leak: String?
        var settings = try self.setup.proxySettings()
        settings.distrustAdvice = { agent in ClientAdvice.distrust(agent: agent, command: command) }
        do {
            let server = try await ProxyServer.start(
                ProxyServer.Configuration(
                    listen: [ListenAddress(host: "127.0.0.1", port: 0)], settings: settings,
                    upstreamRoots: try self.setup.upstreamRoots(),
                    systemBundle: SystemRoots(environment: self.setup.host.environment).bundlePath()),
                authority: authority, sessions: sessions, logger: logger)
            code = try await self.runChild(command, server: server, authority: authority, session: session)
            // In a network of its own there is no way past the proxy.
            if server.connectionCount == 0, try self.level() != .network {
                leak = ClientAdvice.leak(
                    command: command, proxiesLoopback: try self.setup.settings.flag(.proxyLocalhost))
            }
            await server.shutDown(grace: 2)
        } catch {
            _ = try? sessions.close()
            throw error
        }
        let discards = try self.setup.settings.flag(.discardOnFailure) && code != 0
        if discards { Terminal.talk("playhead: the command failed, so nothing is saved (--discard-on-failure).") }
        return try verdict.report(try sessions.close(discards: discards), childCode: code, leak: leak)
    }

    private func runChild(
        _ command: [String], server: ProxyServer, authority: CertificateAuthority, session: CassetteSession
    ) async throws -> Int32 {
        guard let port = server.addresses.first?.port else { return CommandFailure.Code.ownFailure.rawValue }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // Without the network nothing else needs to be trusted, and a leak past the proxy fails at once.
        let isStrict = session.plan.mode == .none && self.setup.settings.list(.tunnel).isEmpty
        let files = try TrustMaterial(host: self.setup.host).write(
            authority, into: folder.path, strictOnlyOurs: isStrict)
        let isolation = try self.isolation(files: files, isStrict: isStrict, folder: folder.path, port: port)
        let change = ProxyEnvironment(
            proxyURL: "http://127.0.0.1:\(port)", files: files,
            cassette: self.setup.settings.text(.cassette) ?? "default", recordedAt: session.recordedAt?.description,
            proxyLocalhost: try self.setup.settings.flag(.proxyLocalhost),
            keepNoProxy: try self.setup.settings.flag(.keepNoProxy)
        ).change(inherited: self.setup.host.environment)
        let limited = try self.setup.limited(change)
        let timeout = try self.setup.settings.parsed(
            .timeout, default: nil, expected: "a duration such as 10m", ValueParsers.milliseconds)
        let child = try ChildProcess.start(
            command, environment: limited.applied(to: self.setup.host.environment), isolation: isolation)
        if let listener = child.listener { try await server.adopt(listener: listener) }
        let end =
            if let timeout { await child.wait(timeout: .milliseconds(timeout)) } else { await child.wait() }
        if let words = self.words(for: end) { Terminal.talk("playhead: \(words)") }
        return end.exitCode
    }

    /// What a shell would say of a command that did not end by itself; nil for Ctrl-C and a closed pipe.
    private func words(for end: ProcessEnd) -> String? {
        switch end {
        case .exited, .signalled(SIGINT), .signalled(SIGPIPE): return nil
        case .signalled(let signal):
            return "the command was ended by signal \(signal) (\(String(cString: strsignal(signal))))."
        case .timedOut:
            let limit = self.setup.settings.text(.timeout) ?? ""
            return "the command did not end within \(limit) and was stopped (--timeout)."
        }
    }

    /// What `--isolate` asks for; nil for variables alone.
    private func isolation(files: TrustFiles, isStrict: Bool, folder: String, port: Int) throws -> Isolation? {
        let level = try self.level()
        if level == .env { return nil }
        let binds = try SystemStoreOverlay(files: files, strictOnlyOurs: isStrict).prepare(into: folder + "/system")
        return Isolation(binds: binds, proxyPort: level == .network ? port : nil)
    }

    private func level() throws -> IsolationLevel {
        try self.setup.settings.parsed(
            .isolate, default: .env, expected: "env, trust or network", IsolationLevel.init(rawValue:))
    }
}

extension SessionSetup {
    /// A change for the clients that `--env-for` names, or for all of them.
    func limited(_ change: EnvironmentChange) throws -> EnvironmentChange {
        let known = ClientKind.allCases.map(\.rawValue).joined(separator: ", ")
        let clients = try self.settings.parsedList(.environmentFor, expected: known, ClientKind.init(rawValue:))
        return clients.isEmpty ? change : change.limited(to: clients)
    }
}
