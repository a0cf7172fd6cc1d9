import ArgumentParser
import PlayheadCA
import PlayheadProxy
import PlayheadTrust

/// `playhead run`: a private proxy for one command.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a command through a private proxy: record on the first run, replay on later ones.",
        discussion: """
            Starts a proxy on a free port, runs COMMAND with the proxy and CA variables of every common runtime set, \
            saves the cassette, prints a summary on stderr and exits with the command's code, or 3 when the command \
            succeeded but a request had no recording.

            Every option is also a variable (--on-miss is PLAYHEAD_ON_MISS) and a key in playhead.yaml (on_miss). \
            Lists are split at commas, and may be repeated.

            EXAMPLES
              playhead run -- curl -s https://example.com/
              playhead run --cassette login --mode none -- pytest tests/test_login.py
              playhead run --isolate trust -- swift test
            """)

    @OptionGroup var shared: SharedOptions

    @Option(
        help: ArgumentHelp(
            "What holds the command: env (variables alone), trust (also the system's trust stores, for it alone) or "
                + "network (also no network but the proxy). Linux. (default: env)", valueName: "level"))
    var isolate: String?

    @Option(
        help: ArgumentHelp(
            "Set the variables of these clients alone, as curl,node. (default: of all)", valueName: "list"))
    var envFor: [String] = []

    @Flag(help: "Send requests to loopback names through the proxy too.")
    var proxyLocalhost = false

    @Flag(help: "Keep the inherited NO_PROXY.")
    var keepNoProxy = false

    @Option(help: ArgumentHelp("End the command after a duration such as 10m; exit 124.", valueName: "duration"))
    var timeout: String?

    @Flag(help: "Do not save the cassette when the command fails.")
    var discardOnFailure = false

    @Argument(parsing: .captureForPassthrough, help: "The command and its arguments.")
    var command: [String] = []

    func run() async throws {
        try await CommandBoundary.run {
            let command = try Self.command(in: self.command)
            var flags = self.shared.flags
            if self.proxyLocalhost { flags[.proxyLocalhost] = ["true"] }
            if self.keepNoProxy { flags[.keepNoProxy] = ["true"] }
            if self.discardOnFailure { flags[.discardOnFailure] = ["true"] }
            if !self.envFor.isEmpty { flags[.environmentFor] = self.envFor }
            if let isolate = self.isolate { flags[.isolate] = [isolate] }
            if let timeout = self.timeout { flags[.timeout] = [timeout] }
            let host = HostEnvironment.current()
            let settings = try Settings.load(flags: flags, configFile: self.shared.config, host: host)
            let session = RunSession(setup: SessionSetup(settings: settings, host: host))
            throw ExitCode(try await session.run(command))
        }
    }

    /// The command in what the parser left over: all that follows the first word it does not know, `--` included.
    static func command(in rest: [String]) throws -> [String] {
        switch rest.first {
        case "--"? where rest.count > 1: return Array(rest.dropFirst())
        case "-h"?, "--help"?: throw CleanExit.helpRequest(Self.self)
        case "--version"?: throw CleanExit.message(Version.program)
        case nil, "--"?:
            throw CommandFailure(.usage, "run needs a command: playhead run -- COMMAND ARGS…")
        case let word? where word.hasPrefix("-"):
            throw CommandFailure(
                .usage, "run has no option \(word). `playhead run --help` lists them; the command follows after --.")
        default: return rest
        }
    }
}
