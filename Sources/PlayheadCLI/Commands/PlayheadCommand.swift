public import ArgumentParser
import PlayheadCassette
import PlayheadTLS

/// The `playhead` command with its subcommands.
public struct PlayheadCommand: AsyncParsableCommand {
    /// What `--help` prints.
    public static let configuration = CommandConfiguration(
        commandName: "playhead",
        abstract: "Record what any process says to the network, and replay it offline.",
        discussion: """
            EXAMPLES
              playhead run -- npm test            record the first time, then replay
              playhead run --mode none -- pytest  replay only; exit 3 on a miss
              playhead serve                      a proxy that stays; see `playhead env`
              playhead cert install               let all clients of this machine trust it
              playhead match default GET https://example.com/
                                                  what would answer, and why not the others
            """,
        version: Version.number,
        subcommands: [
            RunCommand.self, ServeCommand.self, EnvCommand.self, CertCommand.self, CertInstallCommand.self,
            CassetteCommand.self, MatchCommand.self, DoctorCommand.self, HealthcheckCommand.self, ReportCommand.self,
            ConfigCommand.self, VersionCommand.self,
        ])

    /// Creates the command; the argument parser calls it.
    public init() {}

    /// How the argument parser begins its errors: as we begin ours.
    public static var _errorLabel: String { "playhead" }

    /// Runs the command that the arguments name, and ends the process with its exit code.
    public static func start(_ arguments: [String]) async {
        if let refusal = Self.refusal(of: arguments) {
            Terminal.talk(refusal)
            Self.exit(withError: ExitCode(CommandFailure.Code.usage.rawValue))
        }
        if Self.startsProxy(arguments) {
            OpenSSLStart.prepare()
            Task.detached { OpenSSLStart.warmUp() }
        }
        guard let command = Self.proxyCommand(arguments) else { return await Self.main(arguments) }
        do {
            var command = command
            try await command.run()
        } catch {
            Self.exit(withError: error)
        }
    }

    /// Whether the arguments are those of a command that starts a proxy.
    static func startsProxy(_ arguments: [String]) -> Bool { ["run", "serve"].contains(arguments.first) }

    /// The command of `run …` and `serve …`, parsed without the tree of all other commands.
    ///
    /// That tree costs milliseconds, and between these two words and the first connection every one counts.
    ///
    /// - Returns: nil when the arguments are of another command, or wrong, or ask for help: the whole parser then
    ///   finds the words for it.
    static func proxyCommand(_ arguments: [String]) -> (any AsyncParsableCommand)? {
        let rest = Array(arguments.dropFirst())
        // `run` would take a request for help for the name of a program.
        let ours = rest.prefix { $0 != "--" }
        guard !ours.contains("-h"), !ours.contains("--help"), !ours.contains("--help-hidden") else { return nil }
        return switch arguments.first {
        case "serve": try? ServeCommand.parse(rest)
        case "run": try? RunCommand.parse(rest)
        default: nil
        }
    }

    /// What to say when the first argument is no command, with the usual mistakes in mind; nil if it is one.
    ///
    /// - Returns: the words for stderr; the exit code is 64 then.
    static func refusal(of arguments: [String]) -> String? {
        guard let word = arguments.first, !word.hasPrefix("-") else { return nil }
        let names = Self.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard word != "help", !names.contains(word) else { return nil }
        let near = Spelling.nearest(to: word, in: names).map { " Did you mean \($0)?" } ?? ""
        return "playhead: there is no command \(word).\(near) `playhead help` lists the commands; "
            + "playhead run -- \(word) … runs a program of that name through the proxy."
    }
}

/// `playhead version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

    func run() { Terminal.result(Version.program) }
}
