import ArgumentParser
import Foundation
import NIOCore
import PlayheadCassette
import Testing

@testable import PlayheadCLI

/// The files in `examples` and the Dockerfile, held against the program that they start.
@Suite struct ExamplesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let files: [String] = {
        let names = FileManager.default.enumerator(atPath: Self.root.path + "/examples")?.compactMap { $0 as? String }
        return (names ?? []).filter { $0.hasSuffix("yml") || $0.hasSuffix("yaml") || $0.hasSuffix("json") }
            .map { "examples/" + $0 }.sorted()
    }()

    /// What GitHub runs of this repository.
    private static let workflows = ["action.yml", ".github/workflows/ci.yml", ".github/workflows/release.yml"]

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
    }

    @Test func thereIsOneForEachPlace() { #expect(Self.files.count == 6) }

    @Test(arguments: Self.files + Self.workflows)
    func isWellFormed(_ name: String) throws {
        let text = try Self.text(name)
        if name.hasSuffix("json") {
            #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
        } else {
            #expect(try YAMLDocument.parse(ByteBuffer(string: text), fileName: name)?.mapping?.isEmpty == false)
        }
    }

    /// The workflows call these, and GitHub runs them as they are.
    @Test func whatTheWorkflowsRunIsThere() throws {
        let run = try Self.workflows.flatMap { name in
            try Self.text(name).matches(of: #/(?:scripts/[a-z-]+|\.ci/run)\b/#).map { String($0.output) }
        }
        #expect(Set(run).isSuperset(of: [".ci/run", "scripts/package-release", "scripts/playhead"]))
        for script in Set(run) {
            #expect(FileManager.default.isExecutableFile(atPath: Self.root.path + "/" + script), "\(script)")
        }
    }

    /// The action asks for the files by the names that a release has.
    @Test func theActionAsksForWhatAReleaseHas() throws {
        let release = try Self.text(".github/workflows/release.yml")
        let action = try Self.text("action.yml")
        #expect(try Self.text("scripts/package-deb").contains("playhead_${version}_$architecture.deb"))
        #expect(action.contains("playhead_${RELEASE#v}_$(dpkg --print-architecture).deb"))
        #expect(release.contains("playhead_*.deb playhead-*.tar.gz SHA256SUMS"))
        #expect(action.contains("/$RELEASE/SHA256SUMS"))
    }

    /// A variable that no setting has would have no effect, and nobody would see why.
    @Test(arguments: Self.files + ["Dockerfile"])
    func namesOnlyVariablesThatAreSettings(_ name: String) throws {
        let known = Set(SettingKey.allCases.map(\.variable) + [TokenFile.variable])
        for match in try Self.text(name).matches(of: #/PLAYHEAD_[A-Z_]+/#) {
            #expect(known.contains(String(match.output)), "\(match.output)")
        }
    }

    @Test(arguments: Self.files)
    func commandsAreUnderstood(_ name: String) throws {
        let joined = try Self.text(name).replacing(#/\\\n\s*/#, with: "")
        let lines = joined.matches(of: #/playhead (serve|run|report|env|healthcheck)\b[^\n>]*/#).map { $0.output.0 }
        let lists = joined.matches(of: #/command: \["(report|serve)"[^\n\]]*/#).map { match in
            match.output.0.dropFirst("command: [".count).replacing("\"", with: "").replacing(",", with: " ")
        }
        for line in lines.map({ String($0.dropFirst("playhead ".count)) }) + lists.map({ String($0) }) {
            let words = line.split(separator: " ").map(String.init).map { $0.replacing("\"", with: "") }
            #expect(throws: Never.self, "\(line)") { try PlayheadCommand.parseAsRoot(words) }
        }
    }
}
