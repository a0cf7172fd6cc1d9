import ArgumentParser
import PlayheadAdmin
import PlayheadProxy
import PlayheadTrust

/// `playhead env`: the variables for a running `serve`.
struct EnvCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "env",
        abstract: "Print the variables that lead clients to a running `serve`.",
        discussion: """
            EXAMPLES
              eval "$(playhead env)"
              playhead env --format github >> "$GITHUB_ENV"
              eval "$(playhead env --unset)"
            """)

    @Option(help: "sh, fish, dotenv, json, github, docker, compose or k8s.")
    var format: String = "sh"

    @Option(
        help: ArgumentHelp(
            "The proxy's URL. (default: advertise, or the first listen, in variables or playhead.yaml, else http://127.0.0.1:8080)",
            valueName: "url"))
    var url: String?

    @Flag(help: "Print what removes the variables again.")
    var unset = false

    @Option(help: ArgumentHelp("The folder of the CA. (default: $XDG_DATA_HOME/playhead)", valueName: "dir"))
    var caDir: String?

    @Option(
        help: ArgumentHelp("The variables of these clients alone, as curl,node. (default: of all)", valueName: "list"))
    var envFor: [String] = []

    @Flag(help: "Send requests to loopback names through the proxy too.")
    var proxyLocalhost = false

    func run() throws {
        try CommandBoundary.run {
            guard let format = EnvironmentFormat(rawValue: self.format) else {
                let known = EnvironmentFormat.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure(.usage, "--format \(self.format) is unknown; it takes \(known).")
            }
            let host = HostEnvironment.current()
            var flags: [SettingKey: [String]] = self.caDir.map { [.caDirectory: [$0]] } ?? [:]
            flags[.environmentFor] = self.envFor
            let settings = try Settings.load(flags: flags, configFile: nil, host: host)
            let setup = SessionSetup(settings: settings, host: host)
            let authority = try setup.persistentAuthority()
            let files = try TrustMaterial(host: host).write(
                authority, into: setup.caDirectory + "/trust", strictOnlyOurs: false)
            let whole = ProxyEnvironment(
                proxyURL: try self.withToken(self.url ?? Self.proxyURL(settings), setup), files: files,
                // `serve` chose its cassette; the variable would override the one of a later `run` in this shell.
                cassette: nil,
                proxyLocalhost: try self.proxyLocalhost || settings.flag(.proxyLocalhost),
                keepNoProxy: try settings.flag(.keepNoProxy)
            ).change(inherited: host.environment)
            let change = try setup.limited(whole)
            Terminal.raw(self.unset ? format.renderUnset(change) : format.render(change))
        }
    }

    /// The proxy's URL, with the token where its `serve` asks for one.
    ///
    /// The settings say so, or a `serve` of this machine left its token's file where they look for it.
    private func withToken(_ url: String, _ setup: SessionSetup) throws -> String {
        let settings = setup.settings
        guard let mark = url.firstRange(of: "://") else { return url }
        let place = url[mark.upperBound...].prefix { $0 != "/" }
        guard !place.contains("@") else { return url }
        let address = ValueParsers.listenAddress(String(place))
        let text: String
        if try settings.flag(.requireAuth) {
            // What others call it need not be where it listens.
            let port = settings.list(.listen).first.flatMap(ValueParsers.listenAddress)?.port ?? 8080
            text = try TokenFile.text(setup, for: .proxy, port: self.url == nil ? port : address?.port ?? port)
        } else {
            guard let address, address.isLoopback,
                let token = try TokenFile.read(
                    TokenFile.path(in: setup.caDirectory, port: address.port, for: .proxy))
            else { return url }
            text = token.text
        }
        // The user names the session: the one that is used without a name.
        let user = Self.encoded(settings.text(.cassette) ?? "default")
        return url[..<mark.upperBound] + "\(user):\(Self.encoded(text))@" + url[mark.upperBound...]
    }

    /// A user name or password as a URL carries it.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { octet in
            switch octet {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: String(UnicodeScalar(octet))
            default: "%" + (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: true)
            }
        }.joined()
    }

    /// Where a `serve` with these settings can be reached from this machine.
    static func proxyURL(_ settings: Settings) throws -> String {
        if let url = settings.text(.advertise) { return url }
        guard let text = settings.list(.listen).first else { return "http://127.0.0.1:8080" }
        guard let address = ValueParsers.listenAddress(text) else {
            throw settings.error(.listen, "has \(text); it takes HOST:PORT")
        }
        guard address.port != 0 else {
            throw CommandFailure(
                .usage, "env cannot know the port that `serve` took for \(text). Name it: --url http://127.0.0.1:PORT")
        }
        return "http://\(address.reachable.description)"
    }
}
