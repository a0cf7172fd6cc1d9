import ArgumentParser
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP

/// `playhead match`: which recording would answer, and why not the others.
struct MatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Say which recording would answer a request, and why the others would not.",
        discussion: """
            EXAMPLES
              playhead match default GET 'https://api.example.com/users?page=2'
              playhead match --data '{"a":1}' login POST https://api.example.com/login
            """)

    @OptionGroup var place: CassetteCommand.Place
    @Option(help: ArgumentHelp("What must be equal. (default: method,scheme,host,port,path,query)", valueName: "list"))
    var match: String?
    @Option(help: ArgumentHelp("Query names that are left out of every comparison.", valueName: "list"))
    var ignoreQuery: [String] = []
    @Option(help: ArgumentHelp("Header names that are left out of every comparison.", valueName: "list"))
    var ignoreHeader: [String] = []
    @Option(help: ArgumentHelp("A JSONPath that is left out of every comparison; may be repeated.", valueName: "path"))
    var ignoreJSON: [String] = []
    @Option(
        name: [.customShort("H"), .long], help: ArgumentHelp("A request header, 'Name: value'.", valueName: "field"))
    var header: [String] = []
    @Option(name: .shortAndLong, help: ArgumentHelp("The request body.", valueName: "text")) var data: String?
    @Flag(help: "Print JSON.") var json = false
    @Argument(help: "The cassette's name or file.") var cassette: String
    @Argument(help: "The request's method.") var method: String
    @Argument(help: "The request's absolute URL.") var url: String

    func run() throws {
        try CommandBoundary.run {
            var flags: [SettingKey: [String]] = [
                .ignoreQuery: self.ignoreQuery, .ignoreHeader: self.ignoreHeader, .ignoreJSON: self.ignoreJSON,
                .cassette: [self.cassette],
            ]
            if let match = self.match { flags[.match] = [match] }
            if let folder = self.place.cassettes { flags[.cassettesFolder] = [folder] }
            let host = HostEnvironment.current()
            let settings = try Settings.load(flags: flags, configFile: nil, host: host)
            let rules = try SessionSetup(settings: settings, host: host).matchRules()
            let cassette = try self.place.read(self.cassette)
            let request = try self.request()
            var playback = Playback(
                exchanges: cassette.exchanges, rules: rules, repeats: .none,
                redactor: try self.place.redactor(noRedact: [], secretsFromEnv: []),
                context: MissContext(cassette: self.cassette, mode: .none))
            switch playback.take(request) {
            case .play(let index, _):
                let exchange = cassette.exchanges[index]
                if self.json {
                    return Terminal.result(
                        JSONText.object([
                            ("version", "1"), ("match", "true"), ("number", "\(index + 1)"),
                            ("id", JSONText.string(exchange.id)),
                        ]))
                }
                Terminal.result(CassetteCommand.Show.line(index + 1, exchange))
            case .miss(let report):
                if self.json {
                    Terminal.result(String(decoding: report.problemJSON(), as: UTF8.self))
                } else {
                    Terminal.raw(report.text())
                }
                throw ExitCode(CommandFailure.Code.miss.rawValue)
            }
        }
    }

    private func request() throws -> IncomingRequest {
        let target = try Self.target(self.url, method: self.method)
        guard let scheme = target.scheme, let port = target.effectivePort else {
            throw CommandFailure(.usage, "\(self.url) is not an absolute http or https URL.")
        }
        var headers = HeaderList()
        for line in self.header {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { throw CommandFailure(.usage, "--header \(line) is not 'Name: value'.") }
            headers.append(name: String(parts[0]), value: String(parts[1].trimmingSpaces()))
        }
        let body: IncomingBody = self.data.map { .octets(ByteBuffer(string: $0)) } ?? .none
        return IncomingRequest(
            method: self.method, scheme: scheme, host: target.host, port: port, pathAndQuery: target.pathAndQuery,
            version: .http1_1, headers: headers, body: body)
    }

    private static func target(_ url: String, method: String) throws -> RequestTarget {
        do { return try RequestTarget.parse(url, method: method) } catch {
            throw CommandFailure(.usage, "\(url) is not a URL: \(error.reason)")
        }
    }
}
