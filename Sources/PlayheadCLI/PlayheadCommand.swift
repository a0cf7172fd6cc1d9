public import ArgumentParser

/// The `playhead` command with its subcommands.
public struct PlayheadCommand: AsyncParsableCommand {
    /// What `--help` prints.
    public static let configuration = CommandConfiguration(
        commandName: "playhead", abstract: "Record what any process says to the network, and replay it offline.")

    /// Creates the command; the argument parser calls it.
    public init() {}
}
