import NIOCore
import PlayheadCA
import PlayheadCassette
import PlayheadEngine
import PlayheadProxy
import PlayheadTrust

/// One `playhead doctor`: a proxy that answers a canary, and each client of this machine asking for it.
struct DoctorSession {
    let setup: SessionSetup
    let timeout: Duration
    let probes: [ClientProbe]
    /// Is told the name of each client before it is asked.
    let progress: (String) -> Void

    func run() async throws -> DoctorReport {
        let authority = try self.setup.authorityForRun()
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let canary = CanaryCassette(now: self.setup.host.now())
        let location = CassetteLocation(folder: folder.path, name: try CassetteName.validated("canary"))
        try CassetteWriter.save(canary.cassette(for: self.probes), to: location)
        var options = SessionOptions(location: location, mode: .none, repeats: .last, recordedWith: Version.program)
        options.rules = try MatchRules.parse(list: "method,host,path,query")
        let session = try CassetteSession.open(options, clock: self.setup.host.now)
        let sessions = SessionRegistry(standard: session, options: options)
        let server = try await ProxyServer.start(
            ProxyServer.Configuration(listen: [ListenAddress(host: "127.0.0.1", port: 0)]), authority: authority,
            sessions: sessions, logger: try self.setup.logger())
        defer { _ = try? sessions.close() }
        do {
            let report = try await self.ask(server, session, authority, token: canary.token, folder: folder.path)
            await server.shutDown(grace: 0)
            return report
        } catch {
            await server.shutDown(grace: 0)
            throw error
        }
    }

    private func ask(
        _ server: ProxyServer, _ session: CassetteSession, _ authority: CertificateAuthority, token: String,
        folder: String
    ) async throws -> DoctorReport {
        let environment = self.setup.host.environment
        let files = try TrustMaterial(host: self.setup.host).write(
            authority, into: folder + "/trust", strictOnlyOurs: true)
        let port = server.addresses.first?.port ?? 0
        let change = ProxyEnvironment(proxyURL: "http://127.0.0.1:\(port)", files: files).change(inherited: environment)
        let overlay = SystemStoreOverlay(files: files, strictOnlyOurs: true)
        let isolation = (try? overlay.prepare(into: folder + "/system")).map { Isolation(binds: $0) }
        var report = DoctorReport(findings: [], missing: [])
        for probe in self.probes {
            guard
                let run = try await ProbeRun(
                    probe, environment: environment, folder: "\(folder)/\(probe.name)", timeout: self.timeout)
            else {
                report.missing.append(probe.name)
                continue
            }
            self.progress(probe.name)
            var finding = DoctorFinding(
                name: probe.name, program: run.program, version: try await run.version(), state: .works)
            if let failure = try await run.prepare() {
                finding.state = .fails
                finding.fix = "it could not be built"
                finding.words = failure.errors
                report.findings.append(finding)
                continue
            }
            let connections = server.connectionCount
            let replays = session.summary.replayed
            let plain = try await run.ask(change)
            if !plain.output.contains(token) {
                finding.words = plain.errors
                let advice = ClientAdvice(probe.kind)
                if server.connectionCount == connections {
                    finding.state = .bypasses
                    finding.fix = advice.proxy
                } else if session.summary.replayed > replays {
                    finding.state = .fails
                    finding.fix = "it was answered and did not print the answer"
                } else if try await self.works(run, change, isolation, token: token) {
                    finding.state = .worksIsolated
                    finding.fix = "playhead run --isolate trust"
                    finding.words = ""
                } else {
                    finding.state = .distrusts
                    finding.fix = advice.trust
                }
            }
            report.findings.append(finding)
        }
        return report
    }

    /// Whether the client trusts us when the system's store does; false where there can be no isolation.
    private func works(
        _ run: ProbeRun, _ change: EnvironmentChange, _ isolation: Isolation?, token: String
    ) async throws -> Bool {
        guard let isolation else { return false }
        do {
            return try await run.ask(change, isolation: isolation).output.contains(token)
        } catch {
            guard error.code == .isolationRefused else { throw error }
            return false
        }
    }
}
