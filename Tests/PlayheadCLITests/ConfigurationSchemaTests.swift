import Foundation
import Testing

@testable import PlayheadCLI

@Suite struct ConfigurationSchemaTests {
    /// Editors load the published file; it must say what this program takes.
    @Test func thePublishedSchemaIsTheProgramsOwn() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let published = try String(contentsOf: root.appending(path: "docs/playhead.schema.json"), encoding: .utf8)
        #expect(
            published == ConfigurationSchema.text,
            "make it anew: .build/debug/playhead config schema > docs/playhead.schema.json")
    }

    @Test func itIsJSONWithAPropertyForEverySetting() throws {
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(ConfigurationSchema.text.utf8)) as? [String: Any])
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        #expect(Set(properties.keys) == Set(SettingKey.allCases.map(\.rawValue) + ["filters"]))
        #expect(properties["mode"]?["default"] as? String == "once")
        #expect(properties["quiet"]?["type"] as? String == "boolean")
        #expect(schema["additionalProperties"] as? Bool == false)
    }

    @Test func everySettingIsDescribed() {
        let missing = SettingKey.allCases.filter { SettingDescription.all[$0] == nil }
        #expect(missing.isEmpty, "describe \(missing) in SettingDescription")
        for (key, description) in SettingDescription.all {
            if case .flag = description.form { #expect(key.shape == .flag, "\(key)") }
            if key.shape == .flag { #expect(["true", "false"].contains(description.standard), "\(key)") }
        }
    }

    /// What is said to be the default is taken by the program, and each word of a choice too.
    @Test func defaultsAndWordsAreTaken() throws {
        let scratch = try Scratch()
        let host = scratch.host()
        func check(_ flags: [SettingKey: [String]]) throws {
            let settings = Settings(flags: flags, environment: [:], file: nil)
            try SettingsCheck(setup: SessionSetup(settings: settings, host: host)).run()
        }
        try check(SettingDescription.all.compactMapValues { $0.standard.map { [$0] } })
        for (key, description) in SettingDescription.all {
            guard case .words(let words) = description.form else { continue }
            for word in words { #expect(throws: Never.self, "\(key) \(word)") { try check([key: [word]]) } }
            #expect(throws: CommandFailure.self, "\(key)") { try check([key: ["no-such-word"]]) }
        }
    }
}
