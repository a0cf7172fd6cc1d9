import ArgumentParser
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import PlayheadProxy

/// `playhead match`: which recording would answer, and why not the others.
struct MatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Say which recording would answer a request, and why the others would not.",
        discussion: """
            EXAMPLES
              playhead match default GET 'https://api.example.com/users?page=2'
              playhead match --data '{"a":1}' login POST https://api.example.com/login
              playhead match --data @body.json --match default,body login POST https://api.example.com/login
            The rules, filters and secrets of playhead.yaml apply, as in a run.
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
    @Option(help: ArgumentHelp("Form fields that are left out of every comparison.", valueName: "list"))
    var ignoreForm: [String] = []
    @Option(
        name: [.customShort("H"), .long], help: ArgumentHelp("A request header, 'Name: value'.", valueName: "field"))
    var header: [String] = []
    @Option(name: .shortAndLong, help: ArgumentHelp("The request body, or @FILE with it.", valueName: "text")) var data:
        String?
    @Flag(help: "Print JSON.") var json = false
    @Argument(help: "The cassette's name or file.") var cassette: String
    @Argument(help: "The request's method.") var method: String
    @Argument(help: "The request's absolute URL.") var url: String

    func run() throws {
        try CommandBoundary.run {
            var flags: [SettingKey: [String]] = [
                .ignoreQuery: self.ignoreQuery, .ignoreHeader: self.ignoreHeader, .ignoreJSON: self.ignoreJSON,
                .ignoreForm: self.ignoreForm,
            ]
            if let match = self.match { flags[.match] = [match] }
            let host = HostEnvironment.current()
            let settings = try Settings.load(flags: flags, configFile: nil, host: host)
            var options = try SessionSetup(settings: settings, host: host).sessionOptions()
            options.location = try self.place.location(self.cassette)
            let cassette = try CassetteChange.read(options.location)
            let request = options.filters.filtered(try self.request(host))
            var playback = Playback(
                exchanges: try CassetteSession.playable(cassette, options), rules: options.rules, repeats: .none,
                redactor: options.redactor, context: MissContext(cassette: self.cassette, mode: .none))
            switch playback.take(request) {
            case .play(let index, _):
                let exchange = cassette.exchanges[index]
                let next = Self.next(request, &playback)
                if self.json {
                    return Terminal.result(
                        JSONText.object([
                            ("version", "1"), ("match", "true"), ("number", "\(index + 1)"),
                            ("id", JSONText.string(exchange.id)),
                            ("next", JSONText.array(next.map(String.init))),
                        ]))
                }
                Terminal.result(CassetteCommand.Show.line(index + 1, exchange))
                if !next.isEmpty {
                    Terminal.result(
                        "when it is asked again: " + next.map { "#\($0)" }.joined(separator: ", ")
                            + (next.count == Self.shownNext ? " …" : ""))
                }
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

    /// How many recordings are named that answer later.
    private static let shownNext = 10

    /// The numbers of the recordings that would answer the same request afterwards, in that order.
    private static func next(_ request: IncomingRequest, _ playback: inout Playback) -> [Int] {
        var numbers: [Int] = []
        while numbers.count < Self.shownNext, case .play(let index, _) = playback.take(request) {
            numbers.append(index + 1)
        }
        return numbers
    }

    private func request(_ host: HostEnvironment) throws -> IncomingRequest {
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
        let body: IncomingBody = try self.body(host).map { .octets($0) } ?? .none
        return IncomingRequest(
            method: self.method, scheme: scheme, host: target.host, port: port, pathAndQuery: target.pathAndQuery,
            version: .http1_1, headers: headers, body: body)
    }

    private func body(_ host: HostEnvironment) throws -> ByteBuffer? {
        guard let data = self.data, data.hasPrefix("@") else { return self.data.map { ByteBuffer(string: $0) } }
        let path = host.absolute(String(data.dropFirst()))
        guard let octets = FileText.read(path) else {
            throw CommandFailure(.inputMissing, "The body in \(path) cannot be read: \(FileText.lastError).")
        }
        return ByteBuffer(bytes: octets)
    }

    private static func target(_ url: String, method: String) throws -> RequestTarget {
        do { return try RequestTarget.parse(url, method: method) } catch {
            throw CommandFailure(.usage, "\(url) is not a URL: \(error.reason)")
        }
    }
}
