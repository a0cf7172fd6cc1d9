import NIOCore
import PlayheadHTTP
import Testing

@testable import PlayheadEngine

/// What is found in bodies too large for memory: with windows of some hundred octets here.
struct LargeBodyScanTests {
    private static let small = StreamBounds(window: 512, reach: 640, behind: 1300, longest: 8192, events: 2048)
    private static let token = "ghp_0123456789abcdefghij0123456789abcdef"

    private func findings(
        _ text: String, type: String = "text/plain", redactor: Redactor = .standard
    ) throws -> [String] {
        var scan = try LargeBodyScan(
            redactor: redactor, headers: HeaderList([("Content-Type", type)]), place: "response body",
            bounds: Self.small)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + rest.count % 397)
            rest = rest.dropFirst(piece.count)
            scan.take(ByteBuffer(bytes: piece))
        }
        let (found, isCut) = scan.finish()
        #expect(!isCut)
        return found.map { "\($0.place): \($0.rule)" }
    }

    @Test func namesTheLineAndTheRule() throws {
        let lines = (1...2000).map { number in
            switch number {
            case 7, 1234: "line \(number) has \(Self.token) in it"
            case 1500: #"{"password":"correct-horse-battery"}"#
            default: "line \(number) of a log without anything to hide in it"
            }
        }
        #expect(
            try self.findings(lines.joined(separator: "\n")) == [
                "response body line 7: github-token", "response body line 1234: github-token",
                "response body line 1500: password",
            ])
    }

    @Test func namesTheVariableWhoseValueIsThere() throws {
        let redactor = Redactor.standard.hiding(
            try KnownSecrets(names: ["SHOP_KEY"], environment: ["SHOP_KEY": "correct horse"]))
        let clean = String(repeating: "nothing here\n", count: 300)
        #expect(
            try self.findings(clean + "a correct horse\n" + clean + "correct%20horse", redactor: redactor)
                == ["response body line 301: SHOP_KEY", "response body line 602: SHOP_KEY"])
    }

    @Test func eachTypeIsSearchedAsItIsRead() throws {
        let filler = (0..<400).map { #"{"n":\#($0)}"# }
        #expect(
            try self.findings(
                "[" + filler.joined(separator: ",\n") + ",\n" + #"{"access_token":"sesame-open"}]"#,
                type: "application/json") == ["response body line 401: token"])
        #expect(
            try self.findings(
                filler.map { "data: \($0)\n\n" }.joined() + "data: {\"secret\":\"sesame-open\"}\n\n",
                type: "text/event-stream") == ["response body line 801: secret"])
        #expect(
            try self.findings(
                (0..<300).map { "n\($0)=1" }.joined(separator: "&") + "&password=sesame-open",
                type: "application/x-www-form-urlencoded") == ["response body line 1: password"])
    }

    @Test func aLogFullOfTokensGivesABoundedList() throws {
        let text = String(repeating: "x \(Self.token)\n", count: 3000)
        let found = try self.findings(text)
        #expect(found.count == FoundPlaces.limit && found.first == "response body line 1: github-token")
        #expect(found.last == "response body line 1000: github-token")
    }

    @Test func cleanBodiesGiveNothing() throws {
        #expect(try self.findings(String(repeating: "nothing to hide\n", count: 3000)).isEmpty)
        #expect(
            try self.findings(String(repeating: "x [REDACTED:github-token#1]\n", count: 500)).isEmpty,
            "what was redacted is no secret")
    }
}
