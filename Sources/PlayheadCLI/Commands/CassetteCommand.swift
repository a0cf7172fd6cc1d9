import ArgumentParser
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP

/// `playhead cassette`: reading and changing recordings.
struct CassetteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cassette", abstract: "List, show, check and change cassettes.",
        subcommands: [
            List.self, Show.self, Stats.self, Diff.self, Validate.self, Merge.self, Split.self, Prune.self,
            Redact.self, Scan.self,
        ])

    /// Where cassettes are looked for.
    struct Place: ParsableArguments {
        @Option(help: ArgumentHelp("The folder of the cassettes. (default: ./cassettes)", valueName: "dir"))
        var cassettes: String?

        func setup() throws -> SessionSetup {
            let host = HostEnvironment.current()
            let flags: [SettingKey: [String]] = self.cassettes.map { [.cassettesFolder: [$0]] } ?? [:]
            return SessionSetup(settings: try Settings.load(flags: flags, configFile: nil, host: host), host: host)
        }

        /// A cassette by name, or by the path of its file.
        func location(_ name: String) throws -> CassetteLocation {
            let path = try self.setup().host.absolute(name)
            // A name may have folders, so a slash alone does not make a path.
            let isPath = ["/", "./", "../"].contains { name.hasPrefix($0) } || CassetteFolder.isFile(path)
            if isPath, let slash = path.lastIndex(of: "/") {
                let file = try CassetteName.validated(String(path[path.index(after: slash)...]))
                return CassetteLocation(folder: String(path[..<slash]), name: file)
            }
            return CassetteLocation(folder: try self.folder(), name: try CassetteName.validated(name))
        }

        func folder() throws -> String {
            let setup = try self.setup()
            return setup.host.absolute(setup.settings.text(.cassettesFolder) ?? "cassettes")
        }

        /// The named cassettes, or all of the folder.
        func locations(_ names: [String]) throws -> [CassetteLocation] {
            try names.isEmpty ? CassetteFolder.locations(in: self.folder()) : names.map { try self.location($0) }
        }

        /// What is a secret, by the flags of a command over the project's settings.
        func redactor(noRedact: [String], secretsFromEnv: [String]) throws -> Redactor {
            let host = HostEnvironment.current()
            let flags: [SettingKey: [String]] = [.noRedact: noRedact, .secretsFromEnvironment: secretsFromEnv]
            let settings = try Settings.load(flags: flags, configFile: nil, host: host)
            return try SessionSetup(settings: settings, host: host).redactor()
        }

        func read(_ name: String) throws -> Cassette {
            let location = try self.location(name)
            guard let cassette = try CassetteReader.read(location) else {
                throw CommandFailure(
                    .inputMissing,
                    "There is no cassette \(location.file). `playhead cassette list` shows those in the folder; "
                        + "--cassettes DIR names another folder.")
            }
            return cassette
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the cassettes of the folder.")

        @OptionGroup var place: Place
        @Flag(help: "Print JSON.") var json = false

        static func counted(_ exchanges: Int) -> String { exchanges == 1 ? "1 exchange" : "\(exchanges) exchanges" }

        func run() throws {
            try CommandBoundary.run {
                let folder = try self.place.folder()
                var rows: [(name: String, text: String, json: String)] = []
                for location in try CassetteFolder.locations(in: folder) {
                    let name = location.name.description
                    do {
                        let count = try CassetteReader.read(location)?.exchanges.count ?? 0
                        rows.append(
                            (
                                name, "\(name)  \(Self.counted(count))",
                                JSONText.object([
                                    ("name", JSONText.string(name)), ("file", JSONText.string(location.file)),
                                    ("exchanges", "\(count)"),
                                ])
                            ))
                    } catch {
                        rows.append(
                            (
                                name, "\(name)  unreadable: \(error)",
                                JSONText.object([
                                    ("name", JSONText.string(name)), ("file", JSONText.string(location.file)),
                                    ("error", JSONText.string("\(error)")),
                                ])
                            ))
                    }
                }
                if self.json {
                    return Terminal.result(
                        JSONText.object([("version", "1"), ("cassettes", JSONText.array(rows.map(\.json)))]))
                }
                for row in rows { Terminal.result(row.text) }
                if rows.isEmpty { Terminal.talk("playhead: no cassettes in \(folder)") }
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the exchanges of a cassette.")

        @OptionGroup var place: Place
        @Argument(help: "The cassette's name or file.") var cassette: String
        @Flag(help: "Print JSON.") var json = false

        func run() throws {
            try CommandBoundary.run {
                let cassette = try self.place.read(self.cassette)
                if self.json {
                    return Terminal.result(
                        String(
                            decoding: CassetteWriter.encode(cassette, format: .json).readableBytesView, as: UTF8.self))
                }
                for (number, exchange) in cassette.exchanges.enumerated() {
                    Terminal.result(Self.line(number + 1, exchange))
                }
            }
        }

        /// `WebSocket  3 messages out, 5 in, closed 1000`.
        static func summary(_ socket: RecordedWebSocket) -> String {
            let messages = socket.frames.filter(\.opcode.isMessage)
            let sent = messages.count { $0.sender == .client }
            let code = socket.frames.first { $0.opcode == .close }?.closeCode
            let ending = socket.ending == .closed ? "closed" + (code.map { " \($0)" } ?? "") : socket.ending.rawValue
            return "WebSocket  \(sent) messages out, \(messages.count - sent) in, \(ending)"
        }

        static func line(_ number: Int, _ exchange: Exchange) -> String {
            let outcome: String
            switch exchange.outcome {
            case .response(let response):
                let type = response.headers.first("content-type") ?? "-"
                outcome = "\(response.status)  \(response.body.count) octets  \(type)"
            case .failure(let failure): outcome = "failed (\(failure.kind.rawValue)): \(failure.message)"
            case .webSocket(let socket): outcome = "101  \(Self.summary(socket))"
            }
            return
                "#\(number)  \(exchange.recordedAt.description)  \(exchange.request.method) \(exchange.request.url)  ->  \(outcome)"
        }
    }

    struct Validate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that cassettes can be read and their side files are whole; exit 65 if not.")

        @OptionGroup var place: Place
        @Argument(
            help: ArgumentHelp("Names or files; all cassettes of the folder if none is given.", valueName: "cassette"))
        var names: [String] = []

        func run() throws {
            try CommandBoundary.run {
                let locations =
                    try self.names.isEmpty
                    ? CassetteFolder.locations(in: self.place.folder())
                    : self.names.map { try self.place.location($0) }
                var bad = 0
                for location in locations {
                    do {
                        guard let cassette = try CassetteReader.read(location) else {
                            throw CommandFailure(.inputMissing, "There is no cassette \(location.file).")
                        }
                        try CassetteFolder.verifySideFiles(of: cassette, at: location)
                        Terminal.result("ok  \(location.file)  \(List.counted(cassette.exchanges.count))")
                    } catch let failure as CommandFailure {
                        throw failure
                    } catch {
                        bad += 1
                        Terminal.talk("playhead: \(error)")
                    }
                }
                if bad > 0 {
                    throw CommandFailure(.badCassette, "\(bad) of \(locations.count) cassettes cannot be used.")
                }
            }
        }
    }
}
