import ArgumentParser
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `playhead cassette`: reading and changing recordings.
struct CassetteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cassette", abstract: "List, show, check and change cassettes.",
        subcommands: [
            List.self, Show.self, Stats.self, Diff.self, Validate.self, Merge.self, Split.self, Prune.self,
            Redact.self, Scan.self, Convert.self, Learn.self,
        ])

    /// Where cassettes are looked for.
    struct Place: ParsableArguments {
        @Option(help: ArgumentHelp("The folder of the cassettes. (default: ./cassettes)", valueName: "dir"))
        var cassettes: String?

        @Option(
            help: ArgumentHelp(
                "The key of encrypted cassettes: a file, env:NAME, or env for PLAYHEAD_ENCRYPTION_KEY.",
                valueName: "keyfile|env[:name]"))
        var encryptWith: String?

        func setup() throws -> SessionSetup {
            let host = HostEnvironment.current()
            var flags: [SettingKey: [String]] = self.cassettes.map { [.cassettesFolder: [$0]] } ?? [:]
            if let key = self.encryptWith { flags[.encryptWith] = [key] }
            return SessionSetup(settings: try Settings.load(flags: flags, configFile: nil, host: host), host: host)
        }

        /// A cassette by name, or by the path of its file.
        ///
        /// It has the key if it is encrypted, or if there is none yet: a command leaves a cassette as it is.
        ///
        /// - Parameter key: another key than the one that is set.
        /// - Parameter isNew: the cassette is written anew, so what is there does not count.
        func location(_ name: String, key: String? = nil, isNew: Bool = false) throws -> CassetteLocation {
            let setup = try self.setup()
            var location = try self.plain(name, setup, isNew: isNew)
            if try isNew || CassetteReader.isEncrypted(location) ?? true {
                location.key = try key.map { try EncryptionSettings(host: setup.host).key($0) } ?? setup.key()
            }
            return location
        }

        private func plain(_ name: String, _ setup: SessionSetup, isNew: Bool) throws -> CassetteLocation {
            let path = setup.host.absolute(name)
            // A name may have folders, so a slash alone does not make a path.
            let isPath =
                ["/", "./", "../"].contains { name.hasPrefix($0) } || CassetteFolder.isFile(path)
                || path.hasSuffix(".\(CassetteName.folderExtension)") && access(path, F_OK) == 0
            var location: CassetteLocation
            if isPath, let slash = path.lastIndex(of: "/") {
                let file = try CassetteName.validated(String(path[path.index(after: slash)...]))
                location = CassetteLocation(folder: String(path[..<slash]), name: file)
            } else {
                try setup.requireFolder(setup.cassettesFolder, .cassettesFolder)
                location = CassetteLocation(folder: setup.cassettesFolder, name: try CassetteName.validated(name))
            }
            return isNew ? location : CassetteFolder.existing(location, named: name)
        }

        func folder() throws -> String {
            let setup = try self.setup()
            try setup.requireFolder(setup.cassettesFolder, .cassettesFolder)
            return setup.cassettesFolder
        }

        /// The named cassettes, or all of the folder.
        func locations(_ names: [String]) throws -> [CassetteLocation] {
            guard names.isEmpty else { return try names.map { try self.location($0) } }
            let key = try self.setup().key()
            return try CassetteFolder.locations(in: self.folder()).map { location in
                var location = location
                // What cannot be looked at is reported by who reads it.
                if (try? CassetteReader.isEncrypted(location)) != false { location.key = key }
                return location
            }
        }

        /// What is a secret, by the flags of a command over the project's settings.
        func redactor(noRedact: [String], secretsFromEnv: [String]) throws -> Redactor {
            let host = HostEnvironment.current()
            let flags: [SettingKey: [String]] = [.noRedact: noRedact, .secretsFromEnvironment: secretsFromEnv]
            let settings = try Settings.load(flags: flags, configFile: nil, host: host)
            return try SessionSetup(settings: settings, host: host).redactor()
        }

        func read(_ name: String) throws -> Cassette { try CassetteChange.read(self.location(name)) }
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
                for location in try self.place.locations([]) {
                    let name = location.name.description
                    do {
                        let count = try CassetteChange.read(location).exchanges.count
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
                let locations = try self.place.locations(self.names)
                var bad = 0
                for location in locations {
                    do {
                        let cassette = try CassetteChange.read(location)
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
