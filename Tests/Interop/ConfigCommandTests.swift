import Foundation
import Testing

/// `playhead config` as people use it.
@Suite("config", .timeLimit(.minutes(5)))
struct ConfigCommandTests {
    @Test func showNamesTheOriginOfEachValue() async throws {
        try await withWorkbench { bench in
            try bench.write("playhead.yaml", "mode: none\nrepeats: last\n")
            let done = try await bench.playhead(
                ["config", "show", "--origin", "--cassette", "login"], environment: ["PLAYHEAD_REPEATS": "cycle"])
            #expect(done.code == 0, "\(done.errors)")
            let lines = Set(
                done.text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") })
            #expect(lines.contains("cassette: login # --cassette"))
            #expect(lines.contains("mode: none # \(bench.work)/playhead.yaml, line 1"), "\(done.text)")
            #expect(lines.contains("repeats: cycle # PLAYHEAD_REPEATS"))
            #expect(lines.contains("speed: instant # default"))
            let plain = try await bench.playhead(["config", "show"])
            #expect(plain.text.contains("\nmode: none\n") && !plain.text.contains("#"), "\(plain.text)")
        }
    }

    @Test func validateFindsWhatRunWouldRefuse() async throws {
        try await withWorkbench { bench in
            let none = try await bench.playhead(["config", "validate"])
            #expect(none.code == 0 && none.text.contains("there is no playhead.yaml"), "\(none.errors)")
            for (text, place) in [
                ("mode: none\nspeed: fast\n", "line 2"), ("no_such_key: 1\n", "no_such_key"),
                ("cassette: a\n\nlisten: nonsense\n", "line 3"), ("ca_cert: a.pem\n", "ca_cert"),
                ("log_format: xml\n", "log_format"), ("drop_unused: perhaps\n", "drop_unused"),
            ] {
                try bench.write("playhead.yaml", text)
                let done = try await bench.playhead(["config", "validate"])
                #expect(done.code == 78, "\(text): \(done.errors)")
                #expect(done.errors.contains(place), "\(done.errors)")
            }
            try bench.write("playhead.yaml", "mode: none\nlisten: [8080, '127.0.0.1:0']\nfilters: {text: {a: b}}\n")
            let good = try await bench.playhead(["config", "validate"])
            #expect(good.code == 0 && good.text.contains("playhead.yaml is valid"), "\(good.errors)")
            #expect(try await bench.playhead(["config", "validate", "other.yaml"]).code == 66)
        }
    }

    @Test func theSchemaIsPrinted() async throws {
        try await withWorkbench { bench in
            let done = try await bench.playhead(["config", "schema"])
            #expect(done.code == 0)
            let schema = try JSONSerialization.jsonObject(with: done.output) as? [String: Any]
            #expect(schema?["title"] as? String == "playhead.yaml")
        }
    }
}
