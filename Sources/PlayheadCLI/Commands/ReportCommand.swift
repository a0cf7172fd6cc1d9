import ArgumentParser
import NIOCore
import PlayheadAdmin
import PlayheadEngine

/// `playhead report`: what came of a run or of a running `serve`, and the verdict as the exit code.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show what came of a run, and exit with its verdict.",
        discussion: """
            Asks a running `serve`, or reads a file that `--report FILE:json` wrote. The verdict of a sidecar is lost in \
            most CI systems; as the last step of the job this command gives it back.

            EXAMPLES
              playhead report --url http://proxy:8081 --fail-on miss,unused
              playhead report --format junit report.json > junit.xml
              playhead report --format github            annotations, and the step's summary
            """)

    /// The forms of the output.
    enum Format: String, ExpressibleByArgument, CaseIterable, Sendable { case text, json, junit, github, html }

    @Option(
        help: ArgumentHelp(
            "The admin API's URL. (default: of the setting admin, else http://127.0.0.1:8081)", valueName: "url"))
    var url: String?

    @Option(help: "text, json, junit, github or html.")
    var format: Format = .text

    @Option(
        help: ArgumentHelp(
            "What gives an exit code: miss (3), unused (4), secret (5), leak or trust (6), none. (default: miss)",
            valueName: "list"))
    var failOn: [String] = []

    @Option(
        help: ArgumentHelp(
            "The file of the admin API's token. (default: in the CA's folder)", valueName: "file"))
    var adminTokenFile: String?

    @Option(help: ArgumentHelp("The folder of the CA. (default: $XDG_DATA_HOME/playhead)", valueName: "dir"))
    var caDir: String?

    @Argument(help: "A report that was written as JSON, in place of a running `serve`.")
    var file: String?

    func run() async throws {
        try await CommandBoundary.run {
            guard let verdict = ReportVerdict(self.failOn) else {
                throw CommandFailure(.usage, "--fail-on takes \(ReportVerdict.names.joined(separator: ", ")).")
            }
            let host = HostEnvironment.current()
            let report = try await self.report(host, verdict)
            try self.show(report, host)
            if let code = verdict.code(report) { throw ExitCode(code.rawValue) }
        }
    }

    private func report(_ host: HostEnvironment, _ verdict: ReportVerdict) async throws -> RunReport {
        if let file = self.file {
            guard self.url == nil else { throw CommandFailure(.usage, "Give a file or --url, not both.") }
            let path = host.absolute(file)
            guard let octets = FileText.read(path) else {
                throw CommandFailure(
                    .system(.inputMissing), "The report \(path) cannot be read: \(FileText.lastError).")
            }
            let report: RunReport
            do { report = try RunReport(json: octets) } catch {
                throw CommandFailure(.inputMissing, "\(path): \(error)")
            }
            guard !verdict.asksForSecrets || report.counts.contains(where: { $0.name == "secrets" }) else {
                throw CommandFailure(
                    .inputMissing,
                    "\(path) does not say how many secrets the cassettes hold. Look for them with `playhead cassette scan`, or "
                        + "write the report with --report of `run` or `serve` of version \(Version.number).")
            }
            return report
        }
        var flags: [SettingKey: [String]] = [:]
        if let file = self.adminTokenFile { flags[.adminTokenFile] = [file] }
        if let folder = self.caDir { flags[.caDirectory] = [folder] }
        let settings = try Settings.load(flags: flags, configFile: nil, host: host)
        let url = try self.url ?? AdminPlace.url(settings)
        guard let place = AdminClient(url: url) else { throw CommandFailure(.usage, "\(url) is no http URL.") }
        let token = try AdminPlace.token(SessionSetup(settings: settings, host: host), port: place.port)
        guard let client = AdminClient(url: url, token: token) else {
            throw CommandFailure(.usage, "\(url) is no http URL.")
        }
        let answer: AdminClient.Answer
        let query = verdict.asksForSecrets ? "?secrets=true" : ""
        do {
            answer = try await client.get("/api/v1/report" + query)
        } catch {
            throw CommandFailure(.failure, "\(error)")
        }
        switch answer.status {
        case 200: return try RunReport(json: Array(answer.body.readableBytesView))
        case 401: throw CommandFailure(.noPermission, "\(url) does not take this token; is it of another `serve`?")
        case 421:
            throw CommandFailure(
                .noPermission,
                "\(url) does not answer to the name \(client.host). Start `serve` with --admin-host \(client.host).")
        default: throw CommandFailure(.failure, "\(url) answers \(answer.status): \(answer.text)")
        }
    }

    private func show(_ report: RunReport, _ host: HostEnvironment) throws {
        switch self.format {
        case .text: Terminal.raw(ReportText(report: report).text)
        case .json: Terminal.raw(report.json() + [0x0A])
        case .junit: Terminal.raw(report.junit())
        case .html: Terminal.raw(report.html())
        case .github:
            Terminal.raw(ReportText(report: report).github)
            if let path = host.environment["GITHUB_STEP_SUMMARY"], !path.isEmpty {
                try FileText.append(ReportText(report: report).stepSummary, to: path)
            }
        }
    }
}
