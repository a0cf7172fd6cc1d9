import NIOCore
import PlayheadEngine
import Testing

/// Overrides in bodies that are on their way.
struct LiveOverridesTests {
    private static let types: [(String?, OverridePassage?)] = [
        ("application/json; charset=utf-8", .whole), ("application/vnd.api+json", .whole), ("text/plain", .whole),
        ("text/event-stream", .lines), ("application/x-ndjson", .lines), ("text/html", nil), ("image/png", nil),
        ("application/octet-stream", nil), (nil, .whole),
    ]

    @Test(arguments: Self.types)
    func knowsWhatCanBeChanged(_ type: String?, _ passage: OverridePassage?) {
        #expect(OverridePassage(contentType: type) == passage)
    }

    @Test func changesAWholeBodyOrNothing() throws {
        let overrides = try JSONOverrides(["isPremium=true", "$.user.name=Ann"])
        let changed = overrides.changed(ByteBuffer(string: #"{"user": {"name":"Bob", "isPremium": false}}"#))
        #expect(changed.map { String(buffer: $0) } == #"{"user": {"name":"Ann", "isPremium": true}}"#)
        #expect(overrides.changed(ByteBuffer(string: #"{"other":1}"#)) == nil)
        #expect(overrides.changed(ByteBuffer(string: #"{"isPremium":fal"#)) == nil)
    }

    @Test(arguments: 1...40) func linesComeOutTheSameHoweverTheyArrive(_ size: Int) throws {
        var lines = OverriddenLines(try JSONOverrides(["n=7"]))
        let stream = "event: a\ndata: {\"n\": 1}\r\n\r\ndata: plain\n\ndata: {\"n\": 2}"
        var out = ""
        var rest = ByteBuffer(string: stream)
        while let piece = rest.readSlice(length: min(size, rest.readableBytes)), piece.readableBytes > 0 {
            out += String(buffer: lines.take(piece))
        }
        out += String(buffer: lines.end())
        #expect(out == "event: a\ndata: {\"n\": 7}\r\n\r\ndata: plain\n\ndata: {\"n\": 7}")
        #expect(lines.rest.readableBytes == 0)
    }

    @Test func aLineGoesOnAsSoonAsItIsComplete() throws {
        var lines = OverriddenLines(try JSONOverrides(["n=7"]))
        #expect(String(buffer: lines.take(ByteBuffer(string: "data: {\"n\": 1}\nda"))) == "data: {\"n\": 7}\n")
        #expect(String(buffer: lines.rest) == "da")
    }

    @Test func aLineWithoutEndIsNotHeldForEver() throws {
        var lines = OverriddenLines(try JSONOverrides(["n=7"]))
        let piece = ByteBuffer(repeating: UInt8(ascii: "x"), count: 600_000)
        #expect(lines.take(piece).readableBytes == 0)
        #expect(lines.take(piece).readableBytes == 1_200_000)
        #expect(lines.take(piece).readableBytes == 600_000)
        #expect(String(buffer: lines.take(ByteBuffer(string: "y\n{\"n\":1}\n"))) == "y\n{\"n\":7}\n")
    }
}
