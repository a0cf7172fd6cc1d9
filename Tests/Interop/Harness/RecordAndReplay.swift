import Foundation
import Testing

/// Secrets that the scenarios send or receive; none may reach a file or stderr.
enum Secrets {
    static let all = [
        "bearer-secret-4711", "cookie-secret-0815", "cookie-value-one", "query-secret-1234", "hunter2-in-a-body",
        "tok-response-4711", "json-secret-9876",
    ]
}

/// Compares bytes without printing megabytes when they differ.
func expectSameBytes(_ first: Data, _ second: Data, sourceLocation: SourceLocation = #_sourceLocation) {
    guard first != second else { return }
    let at =
        zip(first, second).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(first.count, second.count)
    func context(_ data: Data) -> String {
        let slice = data.dropFirst(max(0, at - 80)).prefix(240)
        return String(decoding: slice, as: UTF8.self).debugDescription
    }
    Issue.record(
        """
        the replay printed \(second.count) bytes, the recording \(first.count); they differ at byte \(at)
        recorded: \(context(first))
        replayed: \(context(second))
        """, sourceLocation: sourceLocation)
}

extension Workbench {
    /// Fails if a known secret stands in any stored file or in the given text.
    func expectNoSecrets(_ texts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        for secret in Secrets.all {
            for (name, data) in self.storedFiles() {
                #expect(
                    data.range(of: Data(secret.utf8)) == nil, "\(name) holds \(secret)", sourceLocation: sourceLocation)
            }
            for text in texts {
                #expect(!text.contains(secret), "stderr holds \(secret): \(text)", sourceLocation: sourceLocation)
            }
        }
    }

    /// Records a command with the origin up, then runs the same command again with the origin stopped.
    ///
    /// Both must print the same bytes and end with the same code, and nothing of the second may come from anywhere but the
    /// cassette. Returns what the first printed.
    @discardableResult
    func recordsAndReplays(
        _ command: [String], exchanges: Int? = nil, code: Int32? = 0, environment: [String: String] = [:],
        input: String = "/dev/null", git: String? = nil, options extra: [String] = [], sameOutput: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Finished {
        let origin = try await self.origin(git: git)
        let options = try self.options(for: origin) + extra
        let first = try await self.run(options, command, environment: environment, input: input, within: .seconds(180))
        if let code {
            try #require(
                first.code == code, "recording: \(first.errors)\n\(first.text.suffix(500))",
                sourceLocation: sourceLocation)
        } else {
            #expect(first.code != 0, sourceLocation: sourceLocation)
        }
        let summary = try #require(first.summary, "no summary in: \(first.errors)", sourceLocation: sourceLocation)
        #expect(summary.replayed == 0 && summary.missed == 0, "\(summary)", sourceLocation: sourceLocation)
        #expect(summary.recorded > 0, "\(first.errors)", sourceLocation: sourceLocation)
        if let exchanges {
            #expect(summary.recorded == exchanges, "\(first.errors)", sourceLocation: sourceLocation)
        }
        let connections = origin.connections
        origin.stop()

        let text = try self.cassetteText()
        #expect(text.contains("playhead: 1"), sourceLocation: sourceLocation)
        #expect(text.contains("example.test"), sourceLocation: sourceLocation)
        let validated = try await self.playhead(["cassette", "validate", "--cassettes", self.cassettes])
        #expect(validated.code == 0, "\(validated.errors)", sourceLocation: sourceLocation)
        let stored = self.storedFiles()
        #expect(!stored.keys.contains { $0.hasSuffix(".journal") }, sourceLocation: sourceLocation)

        let second = try await self.run(options, command, environment: environment, input: input, within: .seconds(180))
        #expect(second.code == first.code, "replaying: \(second.errors)", sourceLocation: sourceLocation)
        if sameOutput { expectSameBytes(first.output, second.output, sourceLocation: sourceLocation) }
        let replay = try #require(second.summary, "no summary in: \(second.errors)", sourceLocation: sourceLocation)
        #expect(
            replay.replayed == summary.recorded && replay.missed == 0 && replay.recorded == 0,
            "recorded: \(summary); then: \(second.errors)", sourceLocation: sourceLocation)
        #expect(origin.connections == connections, sourceLocation: sourceLocation)
        #expect(self.storedFiles() == stored, "replaying changed the cassette", sourceLocation: sourceLocation)
        self.expectNoSecrets(first.errors, second.errors, sourceLocation: sourceLocation)
        return first
    }
}
