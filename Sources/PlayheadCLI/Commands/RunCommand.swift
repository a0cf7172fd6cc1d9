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
            Starts a proxy on a free port, runs COMMAND with the proxy and CA variables of every common runtime set,
            saves the cassette, prints a summary on stderr and exits with the command's code, or 3 when the command
            succeeded but a request had no recording.

            EXAMPLES
              playhead run -- curl -s https://example.com/
              playhead run --cassette login --mode none -- pytest tests/test_login.py
            """)

    @OptionGroup var shared: SharedOptions

    @Flag(help: "Send requests to loopback names through the proxy too.")
    var proxyLocalhost = false

    @Flag(help: "Keep the inherited NO_PROXY.")
    var keepNoProxy = false

    @Option(help: "End the command after a duration such as 10m; exit 124.")
    var timeout: String?

    @Flag(help: "Do not save the cassette when the command fails.")
    var discardOnFailure = false

    @Argument(parsing: .captureForPassthrough, help: "The command and its arguments.")
    var command: [String] = []

    func run() async throws {
        try await CommandBoundary.run {
            var command = self.command
            if command.first == "--" {
                command.removeFirst()
            } else if let first = command.first, first.hasPrefix("-") {
                // The capture begins at the first thing that is no option of ours, help among them.
                if first == "--help" || first == "-h" { throw CleanExit.helpRequest(Self.self) }
                throw CommandFailure(
                    .usage, "run has no option \(first). `playhead run --help` lists them; -- ends them before COMMAND."
                )
            }
            guard !command.isEmpty else {
                throw CommandFailure(.usage, "run needs a command: playhead run -- COMMAND ARGS…")
            }
            var flags = self.shared.flags
            if self.proxyLocalhost { flags[.proxyLocalhost] = ["true"] }
            if self.keepNoProxy { flags[.keepNoProxy] = ["true"] }
            if self.discardOnFailure { flags[.discardOnFailure] = ["true"] }
            if let timeout = self.timeout { flags[.timeout] = [timeout] }
            let host = HostEnvironment.current()
            let settings = try Settings.load(flags: flags, configFile: self.shared.config, host: host)
            let session = RunSession(setup: SessionSetup(settings: settings, host: host), isQuiet: self.shared.quiet)
            throw ExitCode(try await session.run(command))
        }
    }
}
