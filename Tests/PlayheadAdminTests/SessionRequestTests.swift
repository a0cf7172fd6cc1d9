import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadProxy
import Testing

@testable import PlayheadAdmin

@Suite struct SessionRequestTests {
    private static func options(_ body: String) throws -> SessionOptions {
        var standard = SessionOptions(
            location: CassetteLocation(folder: "/nowhere", name: try CassetteName.validated("standard")),
            recordedWith: "playhead test")
        standard.rules.ignoredQuery = ["q"]
        standard.rules.ignoredHeaders = ["h"]
        standard.rules.ignoredJSONPaths = ["$.j"]
        standard.rules.ignoredFormKeys = ["f"]
        return try SessionRequest(try JSONValue.parse(ByteBuffer(string: body)), like: standard).options
    }

    @Test func whatIsNotSaidIsAsServeHasIt() throws {
        let options = try Self.options(#"{"cassette":"a","rules":{"match":["method","body"]}}"#)
        #expect(options.location.file == "/nowhere/a.yaml" && options.mode == .once && options.repeats == .none)
        #expect(options.rules.required == [.method, .body])
        #expect(options.rules.ignoredQuery == ["q"] && options.rules.ignoredHeaders == ["h"])
        #expect(options.rules.ignoredJSONPaths == ["$.j"] && options.rules.ignoredFormKeys == ["f"])
    }

    @Test func eachRuleCanBeSaid() throws {
        let options = try Self.options(
            """
            {"cassette":"a","mode":"none","rules":{"ignore_query":["x"],"ignore_headers":["X-Y"],
            "ignore_json":["$.z"],"ignore_form":["w"],"repeats":"cycle"}}
            """)
        #expect(options.mode == .none && options.repeats == .cycle)
        #expect(options.rules.ignoredQuery == ["x"] && options.rules.ignoredHeaders == ["x-y"])
        #expect(options.rules.ignoredJSONPaths == ["$.z"] && options.rules.ignoredFormKeys == ["w"])
    }
}
