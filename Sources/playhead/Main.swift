import ArgumentParser
import PlayheadCLI

/// The program's entry; everything else is in `PlayheadCLI`, where tests can reach it.
@main
struct Main {
    static func main() async {
        await PlayheadCommand.start(Array(CommandLine.arguments.dropFirst()))
    }
}
