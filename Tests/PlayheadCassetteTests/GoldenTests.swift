import NIOCore
import PlayheadCassette
import PlayheadHTTP
import Testing

/// Files of every past version must load for ever, and the current one must not change by accident.
struct GoldenTests {
    static let version1 = """
        playhead: 1
        recorded_with: playhead 0.1.0
        metadata:
          note: made by hand
        matchers: [method, uri]
        exchanges:
        - id: "1"
          recorded_at: 2026-11-21T03:00:00.123Z
          request:
            method: GET
            url: https://example.com/a?b=c
            http: HTTP/1.1
            headers:
            - [Host, example.com]
            - [Accept, "*/*"]
            - [X-Latin, {base64: "6eg="}]
          response:
            status: 200
            reason: OK
            http: HTTP/1.1
            headers:
            - [Content-Type, application/json]
            - [ETag, '"abc"']
            - [Content-Length, "9"]
            body:
              text: |
                {"a": 1}
              coding: [gzip]
            chunks: [[3, 4], [5, 5]]
          timing: {first_byte_ms: 3, total_ms: 4}
        - id: "2"
          recorded_at: 2026-11-21T03:00:01.000Z
          request:
            method: POST
            url: https://example.com/upload
            http: HTTP/2
            body:
              text: "a\\r\\n\\
                \\ b\\r\\n"
          failure:
            kind: reset
            message: the origin reset the connection after 2 octets
            partial:
              status: 201
              http: HTTP/2
              body:
                base64: AAE=
                truncated: true
        - id: "3"
          recorded_at: 1970-01-01T00:00:00.000Z
          request:
            method: GET
            url: http://example.com/big
            http: HTTP/1.0
          response:
            status: 200
            http: HTTP/1.0
            body:
              file: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.bin"
              length: 4
              sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
            trailers:
            - [Digest, x]

        """

    static var cassette: Cassette {
        let sha = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        var fields = HeaderList([("Host", "example.com"), ("Accept", "*/*")])
        fields.append(name: "X-Latin", octets: [0xe9, 0xe8])
        let json = RecordedBody(.octets(ByteBuffer(string: "{\"a\": 1}\n")), coding: ["gzip"])
        let first = Exchange(
            id: "1", recordedAt: Timestamp(milliseconds: 1_795_230_000_123),
            request: RecordedRequest(method: "GET", url: "https://example.com/a?b=c", headers: fields),
            outcome: .response(
                RecordedResponse(
                    status: 200, reason: "OK",
                    headers: HeaderList([
                        ("Content-Type", "application/json"), ("ETag", "\"abc\""), ("Content-Length", "9"),
                    ]), body: json, chunks: [.init(at: 3, length: 4), .init(at: 5, length: 5)])),
            timing: .init(firstByte: 3, total: 4))
        let second = Exchange(
            id: "2", recordedAt: Timestamp(milliseconds: 1_795_230_001_000),
            request: RecordedRequest(
                method: "POST", url: "https://example.com/upload", version: .http2,
                body: RecordedBody(.octets(ByteBuffer(string: "a\r\n b\r\n")))),
            outcome: .failure(
                RecordedFailure(
                    kind: .reset, message: "the origin reset the connection after 2 octets",
                    partial: RecordedResponse(
                        status: 201, version: .http2,
                        body: RecordedBody(.octets(ByteBuffer(bytes: [0, 1])), isTruncated: true)))))
        let third = Exchange(
            id: "3", recordedAt: Timestamp(milliseconds: 0),
            request: RecordedRequest(method: "GET", url: "http://example.com/big", version: .http1_0),
            outcome: .response(
                RecordedResponse(
                    status: 200, version: .http1_0,
                    body: RecordedBody(.file(SideFileReference(name: "\(sha).bin", length: 4, sha256: sha))),
                    trailers: HeaderList([("Digest", "x")]))))
        return Cassette(
            recordedWith: "playhead 0.1.0", metadata: ["note": "made by hand"], matchers: ["method", "uri"],
            exchanges: [first, second, third])
    }

    @Test func writesVersion1() {
        #expect(String(buffer: CassetteWriter.encode(Self.cassette)) == Self.version1)
    }

    @Test func readsVersion1() throws {
        #expect(try CassetteReader.parse(ByteBuffer(string: Self.version1), fileName: "f") == Self.cassette)
    }

    @Test func writesTimesOfAnyYear() throws {
        for text in [
            "0001-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z",
            "2000-02-29T12:00:00.001Z",
            "2038-01-19T03:14:08.000Z", "2100-02-28T23:59:59.000Z", "9999-12-31T23:59:59.999Z",
        ] { #expect(Timestamp(text)?.description == text) }
        for text in [
            "", "2026", "2026-13-01T00:00:00Z", "2100-02-29T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00",
        ] {
            #expect(Timestamp(text) == nil, "\(text)")
        }
    }
}
