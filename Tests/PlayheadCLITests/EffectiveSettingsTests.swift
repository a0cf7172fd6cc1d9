import Foundation
import Testing

@testable import PlayheadCLI

@Suite struct EffectiveSettingsTests {
    private static func settings() throws -> (Settings, String) {
        let scratch = try Scratch()
        let path = try scratch.write("playhead.yaml", "mode: none\nonly: [a.example, '*.b.example']\n")
        let file = try ConfigurationFile(path: path)
        return (
            Settings(
                flags: [.cassette: ["login"]],
                environment: ["PLAYHEAD_UPSTREAM_PROXY": "http://ann:hunter2hunter2@proxy.example:3128"], file: file),
            path
        )
    }

    @Test func eachValueHasItsOrigin() throws {
        let (settings, path) = try Self.settings()
        let lines = EffectiveSettings(settings).lines
        func line(_ key: SettingKey) -> EffectiveSettings.Line? { lines.first { $0.key == key } }
        #expect(line(.cassette)?.place == "--cassette" && line(.cassette)?.origin == "flag")
        #expect(line(.mode)?.place == "\(path), line 1" && line(.mode)?.origin == "file")
        #expect(line(.upstreamProxy)?.place == "PLAYHEAD_UPSTREAM_PROXY")
        #expect(line(.repeats)?.values == ["none"] && line(.repeats)?.origin == "default")
        #expect(line(.match)?.values == ["method", "scheme", "host", "port", "path", "query"])
        #expect(line(.reRecordAfter) == nil, "it has no value and no default")
    }

    @Test func secretsAreMasked() throws {
        let effective = EffectiveSettings(try Self.settings().0)
        #expect(!effective.text(showingOrigin: true).contains("hunter2"))
        #expect(!effective.json.contains("hunter2"))
    }

    /// What is shown can be written into `playhead.yaml`, and means the same.
    @Test func theTextIsAFileThatIsReadBack() throws {
        let (settings, _) = try Self.settings()
        let scratch = try Scratch()
        for showingOrigin in [false, true] {
            let text = EffectiveSettings(settings).text(showingOrigin: showingOrigin)
            let file = try ConfigurationFile(path: scratch.write("again-\(showingOrigin).yaml", text))
            let again = Settings(flags: [:], environment: [:], file: file)
            #expect(again.list(.only) == ["a.example", "*.b.example"])
            #expect(again.text(.mode) == "none" && again.text(.cassette) == "login")
            #expect(again.text(.onMiss) == "status:501")
            #expect(try again.flag(.dropUnused) == false)
        }
    }

    @Test func theJSONSaysTheSame() throws {
        let object = try JSONSerialization.jsonObject(
            with: Data(EffectiveSettings(try Self.settings().0).json.utf8))
        let settings = try #require((object as? [String: Any])?["settings"] as? [[String: Any]])
        let only = try #require(settings.first { $0["key"] as? String == "only" })
        #expect(only["values"] as? [String] == ["a.example", "*.b.example"])
        #expect(only["flag"] as? String == "--only" && only["variable"] as? String == "PLAYHEAD_ONLY")
    }
}
