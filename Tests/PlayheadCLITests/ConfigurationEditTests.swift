import Testing

@testable import PlayheadCLI

struct ConfigurationEditTests {
    private let edit = ConfigurationEdit(path: "/p/playhead.yaml")

    @Test func startsAFile() throws {
        let text = try self.edit.adding([(.ignoreQuery, ["t", "nonce"]), (.ignoreJSON, ["$.at"])], to: "")
        #expect(text == "ignore_query:\n- \"t\"\n- \"nonce\"\nignore_json:\n- \"$.at\"\n")
    }

    @Test func keepsCommentsOrderAndOtherKeys() throws {
        let old = """
            # our rules
            mode: none

            ignore-query: [page,   size]  # both
            # about the next
            cassette: shop
            """
        let new = try self.edit.adding([(.ignoreQuery, ["t", "page"])], to: old)
        #expect(
            new == """
                # our rules
                mode: none

                ignore_query:
                - "page"
                - "size"
                - "t"
                # about the next
                cassette: shop

                """)
    }

    @Test func aListAtTheEndGrows() throws {
        let old = "mode: none\nignore_json:\n- $.a\n- $.b\n"
        #expect(
            try self.edit.adding([(.ignoreJSON, ["$.c", "$.a"])], to: old)
                == "mode: none\nignore_json:\n- \"$.a\"\n- \"$.b\"\n- \"$.c\"\n")
    }

    @Test func addingTheSameTwiceChangesNothing() throws {
        let rules: [(key: SettingKey, values: [String])] = [(.ignoreHeader, ["x-id"]), (.ignoreForm, ["a: b", "- c"])]
        let once = try self.edit.adding(rules, to: "mode: none\n")
        #expect(try self.edit.adding(rules, to: once) == once)
    }

    @Test func oddNamesSurvive() throws {
        let odd = ["$['a.b']", "\"quoted\"", "#", "a: b", "ä"]
        let text = try self.edit.adding([(.ignoreForm, odd)], to: "")
        #expect(try ConfigurationFile.parse(Array(text.utf8), path: "p").0[.ignoreForm]?.values == odd)
    }

    @Test func aFileThatIsNoConfigurationIsAnError() {
        #expect(failure { _ = try self.edit.adding([(.ignoreQuery, ["t"])], to: "- a\n") }?.code == .badConfiguration)
        #expect(
            failure { _ = try self.edit.adding([(.ignoreQuery, ["t"])], to: "mode: [\n") }?.code == .badConfiguration)
    }
}
