import ArgumentParser
import CArguments
import PlayheadCLI

/// The program's entry; everything else is in `PlayheadCLI`, where tests can reach it.
@main
struct Main {
    static func main() async {
        await PlayheadCommand.start(Self.arguments)
    }

    /// What the program was called with, behind its name.
    private static var arguments: [String] {
        guard var next = playhead_arguments() else { return Array(CommandLine.arguments.dropFirst()) }
        var words: [String] = []
        while let word = next.pointee {
            words.append(String(cString: word))
            next += 1
        }
        return Array(words.dropFirst())
    }
}
