import Foundation
import PlayheadTrust
import Testing

struct EnvironmentFormatTests {
    /// Every character that some format treats specially.
    static let nasty = #"a'b"c$HOME \n ${X} $(id) `id` #x: [1] * & | ; é !"#

    private func change(_ values: [String]) -> EnvironmentChange {
        var change = EnvironmentChange()
        change.unset("GONE")
        for (index, value) in values.enumerated() { change.set("V\(index)", value) }
        return change
    }

    @Test func posixShellReadsBackEveryValue() throws {
        let values = [Self.nasty, "two\nlines", "", "-n"]
        let script =
            EnvironmentFormat.sh.render(change(values)) + #"printf '%s|' "$V0" "$V1" "$V2" "$V3" "${GONE-none}""#
        let result = try shell(["sh", "-c", script], ["PATH": "/usr/bin:/bin", "GONE": "x"])
        #expect(result.text == (values + ["none"]).map { $0 + "|" }.joined())
    }

    @Test func fishEscapesBackslashAndQuote() {
        #expect(
            EnvironmentFormat.fish.render(change([#"a\b'c$d"#])) == "set -e GONE\nset -gx V0 'a\\\\b\\'c$d'\n")
    }

    @Test func dotenvIsLiteralInSingleQuotesAndEscapedInDoubleOnes() {
        #expect(EnvironmentFormat.dotenv.render(change(["a$b \"c\""])) == "GONE=\nV0='a$b \"c\"'\n")
        #expect(EnvironmentFormat.dotenv.render(change(["it's $5\n\\"])) == "GONE=\nV0=\"it's \\$5\\n\\\\\"\n")
    }

    @Test func jsonIsReadByAParser() throws {
        let values = [Self.nasty, "tab\tnul\u{1}\u{7F}\r\n"]
        let data = Data(EnvironmentFormat.json.render(change(values)).utf8)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["V0"] as? String == values[0])
        #expect(object["V1"] as? String == values[1])
        #expect(object["GONE"] is NSNull)
    }

    @Test func githubUsesABorderThatTheValueDoesNotHold() {
        #expect(
            EnvironmentFormat.github.render(change(["x=1", "a\nPLAYHEAD\nb"]))
                == "GONE=\nV0=x=1\nV1<<PLAYHEAD_\na\nPLAYHEAD\nb\nPLAYHEAD_\n")
    }

    @Test func dockerLinesAreRaw() {
        #expect(EnvironmentFormat.docker.render(change(["a 'b' $c\nd"])) == "GONE=\nV0=a 'b' $cd\n")
    }

    @Test func composeDoublesDollars() {
        #expect(
            EnvironmentFormat.compose.render(change([#"a$b"\"#]))
                == "environment:\n  GONE: \"\"\n  V0: \"a$$b\\\"\\\\\"\n")
    }

    @Test func kubernetesKeepsParenthesisedNames() {
        #expect(
            EnvironmentFormat.k8s.render(change(["$(A) $B"]))
                == "env:\n  - name: GONE\n    value: \"\"\n  - name: V0\n    value: \"$$(A) $B\"\n")
    }

    @Test(arguments: EnvironmentFormat.allCases)
    func unsetRemovesWhatIsSetAndNothingElse(format: EnvironmentFormat) {
        let text = format.renderUnset(change(["secret"]))
        #expect(text.contains("V0"))
        #expect(!text.contains("secret"))
        #expect(!text.contains("GONE"))
    }

    @Test func shellUnsetUndoesTheExport() throws {
        let change = change(["1"])
        let script = EnvironmentFormat.sh.render(change) + EnvironmentFormat.sh.renderUnset(change) + "echo ${V0-none}"
        #expect(try shell(["sh", "-c", script]).text == "none\n")
    }
}
