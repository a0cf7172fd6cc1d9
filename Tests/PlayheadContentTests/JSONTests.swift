import NIOCore
import PlayheadContent
import Testing

struct JSONTests {
    @Test(arguments: [
        ("1.0", "1"), ("1e2", "100"), ("-0", "0"), ("0.0e5", "0"),
        ("12345678901234567890123", "12345678901234567890123.000"),
        ("1e400", "10e399"), ("0.1", "1E-1"), ("123.450", "12345e-2"), ("1e-50", "0.1e-49"),
        (#"{"a":1,"b":[true,null]}"#, #" { "b" : [ true , null ] , "a" : 1.0 } "#), (#""é\n""#, #""\u00e9\u000a""#),
        (#""😀""#, #""\ud83d\ude00""#),
    ]) func comparesByValue(left: String, right: String) throws {
        let a = try JSONValue.parse(ByteBuffer(string: left))
        let b = try JSONValue.parse(ByteBuffer(string: right))
        #expect(a == b)
        #expect(a.hashValue == b.hashValue)
    }

    @Test(arguments: [
        ("1", "2"), ("1", "\"1\""), ("9007199254740993", "9007199254740992"), ("0.1", "0.10000000000000001"),
        ("[1,2]", "[2,1]"),
        (#"{"a":1}"#, #"{"a":1,"a":1}"#), ("null", "false"), ("1e400", "1e401"), ("-1", "1"),
    ]) func keepsDifferencesApart(left: String, right: String) throws {
        #expect(try JSONValue.parse(ByteBuffer(string: left)) != JSONValue.parse(ByteBuffer(string: right)))
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1", "[1,", "[1,]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{a:1}",
        "'a'", "\"a",
        "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"a\nb\"", "01", "1.", ".5", "+1", "1e", "1e+", "-", "tru", "nul",
        "True", "NaN",
        "1 2", "[] x", "[}", "{]", "{\"a\" 1}", "[1 2]", "\u{feff}1", "//", "{,}", "[,]",
    ]) func refusesWhatIsNotJSON(text: String) {
        #expect(throws: ContentError.self) { try JSONValue.parse(ByteBuffer(string: text)) }
    }

    @Test func refusesWhatIsTooDeepOrTooMuch() {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(throws: ContentError(.tooDeep, "")) { try JSONValue.parse(ByteBuffer(string: deep)) }
        #expect(throws: ContentError(.tooLarge, "")) {
            try JSONValue.parse(ByteBuffer(string: "[1,2,3]"), limits: JSONLimits(values: 3))
        }
        #expect(throws: ContentError(.tooLarge, "")) {
            try JSONValue.parse(ByteBuffer(string: "[1,2,3]"), limits: JSONLimits(octets: 6))
        }
    }

    @Test func replacesValuesAndNothingElse() throws {
        let text = ByteBuffer(string: "{ \"user\" :\"x\",\n \"a b\": [ {\"token\" : \"s\\\"ecret\"}, 1e2 ] }\n")
        let spans = try JSONSpans(text)
        let token = try #require(spans.spans.firstIndex { $0.key == "token" })
        #expect(spans.path(of: token) == "$[\"a b\"][0].token")
        #expect(spans.string(at: token) == "s\"ecret")
        #expect(spans.source(at: token) == "\"s\\\"ecret\"")
        let list = try #require(spans.spans.firstIndex { $0.kind == .array })
        #expect(spans.source(at: list) == "[ {\"token\" : \"s\\\"ecret\"}, 1e2 ]")
        #expect(
            String(buffer: spans.replacing([token: "\"[R]\""]))
                == "{ \"user\" :\"x\",\n \"a b\": [ {\"token\" : \"[R]\"}, 1e2 ] }\n")
        #expect(String(buffer: spans.replacing([list: "0", token: "1"])) == "{ \"user\" :\"x\",\n \"a b\": 0 }\n")
        #expect(spans.replacing([:]) == text)
    }

    @Test func countsOffsetsFromTheReaderIndex() throws {
        var text = ByteBuffer(string: "xx[1,2]")
        text.moveReaderIndex(forwardBy: 2)
        let spans = try JSONSpans(text)
        #expect(spans.spans.map(\.range) == [0..<5, 1..<2, 3..<4])
        #expect(String(buffer: spans.replacing([1: "9"])) == "[9,2]")
    }

    @Test func quotesWhatMustBeQuoted() {
        #expect(JSONText.quoted("a\"b\\c\n\u{1}é") == "\"a\\\"b\\\\c\\n\\u0001é\"")
    }
}
