public import ArgumentParser

/// The `playhead` command with its subcommands.
public struct PlayheadCommand: AsyncParsableCommand {
    /// What `--help` prints.
    public static let configuration = CommandConfiguration(
        commandName: "playhead",
        abstract: "Record what any process says to the network, and replay it offline.",
        discussion: """
            EXAMPLES
              playhead run -- npm test                 record on the first run, replay on every later one
              playhead run --mode none -- pytest       replay only; exit 3 if a request has no recording
              playhead serve --mode new_episodes       a proxy for the whole shell: eval "$(playhead env)"
              playhead cert install                    let clients trust the CA for good
              playhead match default GET https://example.com/   which recording would answer, and why not
            """,
        version: Version.number,
        subcommands: [
            RunCommand.self, ServeCommand.self, EnvCommand.self, CertCommand.self, CertInstallCommand.self,
            CassetteCommand.self, MatchCommand.self, VersionCommand.self,
        ])

    /// Creates the command; the argument parser calls it.
    public init() {}
}

/// `playhead version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

    func run() { Terminal.result(Version.program) }
}
