import Foundation
import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// Side files that are too large to be searched in memory; the bound is 64 KiB here in place of 8 MiB.
struct CassetteSearchTests {
    private static let secret = "ghp_0123456789abcdefghij0123456789abcdef"
    private let folder: Folder
    private let location: CassetteLocation

    init() throws {
        self.folder = try Folder()
        self.location = CassetteLocation(folder: self.folder.path, name: try CassetteName.validated("one"))
    }

    private var search: CassetteSearch {
        var search = CassetteSearch(self.location, redactor: .standard)
        search.wholeLimit = 64 * 1024
        return search
    }

    private static func log(_ lines: Int, secretsAt places: Set<Int> = []) -> String {
        (0..<lines).map { "line \($0) of a log without anything to hide\(places.contains($0) ? " " + secret : "")\n" }
            .joined()
    }

    private func stored(
        _ octets: ByteBuffer, fields: [(String, String)] = [("Content-Type", "text/plain")], coding: [String] = [],
        chunks: [RecordedResponse.Chunk] = []
    ) throws -> Exchange {
        var body = RecordedBody(.octets(octets), coding: coding)
        body = try body.moved { try SideFileWriter(self.location, unique: "test") }
        return Exchange(
            id: "1", recordedAt: Timestamp(milliseconds: 1),
            request: RecordedRequest(method: "GET", url: "https://a.test/"),
            outcome: .response(
                RecordedResponse(status: 200, headers: HeaderList(fields), body: body, chunks: chunks)))
    }

    private func found(_ exchange: Exchange) throws -> [String] {
        try self.search.findings(in: exchange) { Issue.record("\($0)") }.map { "\($0.place): \($0.rule)" }
    }

    private func redacted(
        _ exchange: Exchange, filters: FilterChain = FilterChain(), writes: Bool = true
    ) throws -> Exchange? {
        try self.search.redacted(
            exchange, filters: filters, ledger: SharedLedger(), writes: writes, note: { Issue.record("\($0)") })
    }

    private func body(_ exchange: Exchange) throws -> (RecordedBody, text: String) {
        guard case .response(let response) = exchange.outcome else { throw HTTPTestError() }
        return (response.body, String(buffer: try response.body.octets(at: self.location)))
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.location.bodiesFolder).sorted()
    }

    @Test func findsAndTakesOutWhatABigSideFileHolds() throws {
        let text = Self.log(3_000, secretsAt: [3, 2500])
        let exchange = try self.stored(ByteBuffer(string: text), chunks: [.init(at: 1, length: text.utf8.count)])
        #expect(
            try self.found(exchange) == ["response body line 4: github-token", "response body line 2501: github-token"]
        )
        let clean = try #require(try self.redacted(exchange))
        let expected = text.replacing(Self.secret, with: "[REDACTED:github-token#1]")
        #expect(try self.body(clean).text == expected)
        guard case .response(let response) = clean.outcome else { throw HTTPTestError() }
        #expect(response.chunks.map(\.length) == [expected.utf8.count])
        #expect(try self.found(clean).isEmpty)
        #expect(try self.redacted(clean) == nil)
    }

    @Test func aCleanOneStaysTheFileItWas() throws {
        let exchange = try self.stored(ByteBuffer(string: Self.log(3_000)))
        let before = try self.files()
        #expect(try self.found(exchange).isEmpty)
        #expect(try self.redacted(exchange) == nil)
        #expect(try self.files() == before && before.count == 1)
    }

    @Test func withoutWritingNothingIsWritten() throws {
        let exchange = try self.stored(ByteBuffer(string: Self.log(3_000, secretsAt: [9])))
        let before = try self.files()
        #expect(try self.redacted(exchange, writes: false) != nil)
        #expect(try self.files() == before)
    }

    @Test(arguments: ContentCoding.allCases)
    func looksIntoCodings(coding: ContentCoding) throws {
        let fields = [("Content-Type", "text/plain"), ("Content-Encoding", coding.rawValue)]
        // What a digest covers is kept with its coding on; random text keeps it over the bound.
        var random = SystemRandomNumberGenerator()
        let noise = (0..<8_000).map { _ in "\(random.next() as UInt64)\n" }.joined()
        let text = noise + Self.secret + "\n"
        let coded = try ContentEncoder.encode(ByteBuffer(string: text), codings: [coding])
        try #require(coded.readableBytes > 64 * 1024)
        let exact = try self.stored(coded, fields: fields)
        #expect(try self.found(exact) == ["response body line 8001: github-token"])
        let clean = try self.body(try #require(try self.redacted(exact)))
        #expect(clean.0.coding == [coding.rawValue])
        #expect(clean.text == noise + "[REDACTED:github-token#1]\n")
        // What was stored without its coding is text already, and its coding stays noted.
        let plain = try self.stored(ByteBuffer(string: text), fields: fields, coding: [coding.rawValue])
        let other = try self.body(try #require(try self.redacted(plain)))
        #expect(other.0.coding == [coding.rawValue] && other.text == clean.text)
    }

    @Test func textUnderTheWrongCodingIsSearchedAsItIs() throws {
        let fields = [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")]
        let exchange = try self.stored(ByteBuffer(string: Self.log(3_000, secretsAt: [7])), fields: fields)
        #expect(try self.found(exchange) == ["response body line 8: github-token"])
        #expect(try self.body(try #require(try self.redacted(exchange))).text.contains("[REDACTED:github-token#1]"))
    }

    @Test func aFilterThatNeedsTheWholeBodyIsRefusedBeforeAnythingIsLost() throws {
        var filters = FilterChain()
        filters.responseBody = try BodyFilter([.init("email", .remove)])
        let exchange = try self.stored(
            ByteBuffer(string: "[" + Self.log(3_000) + "]"), fields: [("Content-Type", "application/json")])
        #expect(throws: EngineError.self) { try self.redacted(exchange, filters: filters) }
        #expect(try self.files().count == 1)
    }

    @Test func numbersGoOnBehindThoseInSideFiles() throws {
        // Also where a placeholder lies across two pieces that are read.
        let piece = 256 * 1024
        let text = String(repeating: "x", count: piece - 10) + "[REDACTED:token#41]" + String(repeating: "y", count: 9)
        let exchange = try self.stored(ByteBuffer(string: text))
        #expect(RedactionLedger(continuing: [exchange]).next == 1)
        #expect(RedactionLedger(continuing: [exchange], at: self.location).next == 42)
    }
}

private struct HTTPTestError: Error {}
