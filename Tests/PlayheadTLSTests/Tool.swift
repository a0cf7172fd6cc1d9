import Foundation

/// Runs programs that speak TLS themselves.
enum Tool {
    struct Outcome {
        var status: Int32
        var output: String
    }

    /// Runs a program to its end with `input` on its standard input; both outputs come back as one text.
    static func run(
        _ name: String, _ arguments: [String], input: String = "", keepsInputOpen: Bool = false
    ) async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // A client that never ends must not hang the suite.
        process.arguments = ["timeout", "20", name] + arguments
        let (standardInput, output) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = output
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                // Test threads block signals, and a program would inherit that: then nothing could end it.
                var signals = sigset_t()
                sigemptyset(&signals)
                pthread_sigmask(SIG_SETMASK, &signals, nil)
                do {
                    try process.run()
                    try? standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
                    if !keepsInputOpen { try? standardInput.fileHandleForWriting.close() }
                    let text = try output.fileHandleForReading.readToEnd() ?? Data()
                    process.waitUntilExit()
                    try? standardInput.fileHandleForWriting.close()
                    continuation.resume(
                        returning: Outcome(
                            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self)))
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
