import Foundation
import PlayheadTrust

/// Runs programs that speak TLS themselves.
enum Tool {
    struct Outcome {
        var status: Int32
        var output: String
    }

    /// Runs a program to its end with `input` on its standard input; its errors come after its output.
    static func run(_ name: String, _ arguments: [String], input: String = "") async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        // A client that never ends must not hang the suite.
                        let result = try SystemCommandRunner().run(
                            ["timeout", "20", name] + arguments, environment: ProcessInfo.processInfo.environment,
                            input: Array(input.utf8))
                        return Outcome(status: result.status, output: result.text + result.errorText)
                    })
            }
        }
    }
}
