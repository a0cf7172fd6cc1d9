import NIOCore
import PlayheadCassette
import PlayheadHTTP
import Testing

/// Chunks that say how much of the request had come: in every format, and in the journal.
struct MessageChunksTests {
    private static let cassette: Cassette = {
        var response = RecordedResponse(status: 200, body: RecordedBody(.octets(ByteBuffer(string: "abc"))))
        response.chunks = [
            .init(at: 3, length: 1, after: 1), .init(at: 4, length: 2), .init(at: 5, length: 0, after: 2),
        ]
        let request = RecordedRequest(method: "POST", url: "https://a.test/", version: .http2)
        return Cassette(
            recordedWith: "test",
            exchanges: [
                Exchange(
                    id: "1", recordedAt: Timestamp(milliseconds: 0), request: request, outcome: .response(response))
            ])
    }()

    @Test(arguments: CassetteFormat.allCases) func keepsTheCounts(format: CassetteFormat) throws {
        let octets = CassetteWriter.encode(Self.cassette, format: format)
        let again = try CassetteReader.parse(octets, format: format, fileName: "file")
        #expect(again.exchanges == Self.cassette.exchanges)
    }

    @Test(arguments: ["[1, 2, -1]", "[1, 2, x]", "[1, 2, 3, 4]", "[1]"]) func refusesOtherLists(chunk: String) throws {
        let text = """
            playhead: 1
            exchanges:
            - id: "1"
              recorded_at: 2026-01-01T00:00:00.000Z
              request: {method: GET, url: "http://a.test/", http: HTTP/2}
              response: {status: 200, http: HTTP/2, body: abc, chunks: [\(chunk)]}

            """
        #expect(throws: CassetteError.self) {
            try CassetteReader.parse(ByteBuffer(string: text), format: .yaml, fileName: "file")
        }
    }
}
