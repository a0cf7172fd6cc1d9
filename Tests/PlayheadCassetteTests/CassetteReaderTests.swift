import Foundation
import NIOCore
import PlayheadCassette
import PlayheadHTTP
import Testing

struct CassetteReaderTests {
    static let head = "playhead: 1\nexchanges:\n- id: a\n  recorded_at: 2026-01-01T00:00:00Z\n"
    static let request = "  request:\n    method: GET\n    url: http://h/\n"
    static let response = "  response:\n    status: 200\n"

    /// A file, the line of its error, and a word of the reason.
    static let hostile: [(String, Int?, String)] = [
        ("\n", 1, "no cassette"),
        ("# only a comment\n", 1, "no cassette"),
        ("- a\n", 1, "dictionary"),
        ("just text\n", 1, "dictionary"),
        ("exchanges: []\n", 1, "playhead: 1"),
        ("playhead: one\nexchanges: []\n", 1, "format version"),
        ("playhead: 0\nexchanges: []\n", 1, "format version"),
        ("playhead: 1\n", nil, "cut off"),
        ("playhead: 1\nexchanges:\n", 2, "must be a list"),
        ("playhead: 1\nexchanges: {}\n", 2, "must be a list"),
        ("playhead: 1\nexchange: []\n", 2, "did you mean 'exchanges'"),
        ("playhead: 1\nplayhead: 1\nexchanges: []\n", 2, "twice"),
        ("playhead: 1\nmetadata: [a]\nexchanges: []\n", 2, "metadata"),
        ("playhead: 1\nexchanges: []\n---\nplayhead: 1\n", 3, "second document"),
        ("playhead: 1\nrecorded_with: &a x\nexchanges: []\n", 2, "anchor"),
        ("playhead: 1\nrecorded_with: *a\nexchanges: []\n", 2, "alias"),
        ("playhead: 1\nrecorded_with: !!python/object x\nexchanges: []\n", 2, "tag"),
        ("playhead: 1\nrecorded_with: !!str x\nexchanges: []\n", 2, "tag"),
        ("playhead: 1\nrecorded_with: \"a\\x00\u{1}\"\nexchanges: []\n", 2, "control"),
        ("playhead: 1\n<<<<<<< HEAD\nexchanges: []\n=======\nexchanges:\n>>>>>>> other\n", 2, "merge conflict"),
        ("playhead: 1\nexchanges: [[[[[\n", 3, "cut off"),
        ("playhead: 1\nmetadata: " + String(repeating: "[", count: 500) + "\n", 2, "deeply"),
        ("playhead: 1\nexchanges: []", nil, ""),
        ("playhead: 1\nexchanges: []\nrecorded_with: x", 3, "cut off"),
        (head + request, 3, "'response', a 'failure' or a 'websocket'"),
        (head + request + response + "  failure:\n    kind: dns\n", 3, "one of 'response', 'failure' and 'websocket'"),
        (head + response, 3, "no 'request'"),
        (head + "  request:\n    method: GET\n" + response, 6, "no 'url'"),
        (head + "  request:\n    method: G T\n    url: http://h/\n" + response, 6, "method"),
        (head + "  request:\n    method: GET\n    url: /path\n" + response, 7, "absolute"),
        (head + "  request:\n    method: GET\n    url: \"http://h/\\r\\nX: y\"\n" + response, 7, "absolute"),
        (head + "  request:\n    method: GET\n    url: file:///etc/passwd\n" + response, 7, "absolute"),
        (head + request + "    header: []\n" + response, 8, "did you mean 'headers'"),
        (head + request + "    colour: red\n" + response, 8, "unknown key 'colour'"),
        (head + request + "    headers: {a: b}\n" + response, 8, "list"),
        (head + request + "    headers:\n    - [a]\n" + response, 9, "pairs"),
        (head + request + "    headers:\n    - [a b, c]\n" + response, 9, "field name"),
        (head + request + "    headers:\n    - [a, \"b\\r\\nc\"]\n" + response, 9, "line end"),
        (head + request + "    headers:\n    - [a, {base64: AA==}]\n" + response, 9, "NUL"),
        (head + request + "    headers:\n    - [a, {base64: A}]\n" + response, 9, "base64"),
        (head + request + "    http: HTTP/9\n" + response, 8, "HTTP/1.1"),
        (head + request + "    body: {text: a, base64: YQ==}\n" + response, 8, "one of"),
        (head + request + "    body: {base64: '*'}\n" + response, 8, "base64"),
        (head + request + "    body: {text: a, coding: gzip}\n" + response, 8, "list"),
        (head + request + "    body: {text: a, truncated: 7}\n" + response, 8, "true or false"),
        (head + request + "    body: {file: ../../etc/passwd, length: 1, sha256: a}\n" + response, 8, "side file"),
        (head + request + "  response:\n    status: 99\n", 9, "200 to 999"),
        (head + request + "  response:\n    status: 101\n", 9, "200 to 999"),
        (head + request + "  response:\n    status: 1e3\n", 9, "200 to 999"),
        (head + request + "  response:\n    status: 99999999999999999999999\n", 9, "200 to 999"),
        (head + request + "  response:\n    reason: x\n", 9, "no 'status'"),
        (head + request + response + "    reason: \"a\\nb\"\n", 10, "line end"),
        (head + request + response + "    chunks: [[1]]\n", 10, "pairs"),
        (head + request + response + "    chunks: [[-1, 2]]\n", 10, "pairs"),
        (head + request + response + "  timing: {first_byte_ms: x}\n", 10, "whole number"),
        (head + request + "  failure:\n    kind: boring\n", 9, "known are dns"),
        (head + request + response + head.dropFirst(23) + request + response, 10, "twice"),
        ("playhead: 1\nexchanges:\n- id: a\n  recorded_at: yesterday\n" + request + response, 4, "recorded_at"),
        (
            "playhead: 1\nexchanges:\n- id: a\n  recorded_at: 2026-02-30T00:00:00Z\n" + request + response, 4,
            "recorded_at"
        ),
        ("playhead: 1\nexchanges:\n- id: a\n\t recorded_at: x\n", 4, "tab"),
    ]

    @Test(arguments: hostile.indices) func namesLineAndReason(index: Int) throws {
        let (text, line, reason) = Self.hostile[index]
        if reason.isEmpty {
            _ = try CassetteReader.parse(ByteBuffer(string: text), fileName: "f.yaml")
            return
        }
        do {
            _ = try CassetteReader.parse(ByteBuffer(string: text), fileName: "f.yaml")
            Issue.record("accepted \(text)")
        } catch {
            #expect(error.description.contains(reason), "\(error) for\n\(text)")
            #expect(error.line == line, "\(error) for\n\(text)")
            #expect(error.file == "f.yaml")
        }
    }

    @Test func refusesTextThatIsNotUTF8() {
        let bytes = ByteBuffer(bytes: Array("playhead: 1\nrecorded_with: \"".utf8) + [0xff, 0xfe, 0x22, 0x0a])
        #expect {
            try CassetteReader.parse(bytes, fileName: "f")
        } throws: { ($0 as? CassetteError)?.line == 2 }
    }

    @Test func namesTheProgramForANewerFormat() {
        #expect {
            try CassetteReader.parse(ByteBuffer(string: "playhead: 2\nexchanges: []\n"), fileName: "f")
        } throws: { ($0 as? CassetteError)?.code == .tooNew && "\($0)".contains("playhead 2 or newer") }
    }

    @Test(arguments: CassetteFormat.allCases) func neverTakesATruncatedFileForAnEmptyOne(format: CassetteFormat) throws
    {
        var failed = Samples.plain("3")
        failed.outcome = .failure(RecordedFailure(kind: .reset, message: "a: b"))
        let cassette = Cassette(
            recordedWith: "playhead 0.1.0", matchers: ["uri"],
            exchanges: [Samples.plain("1"), Samples.plain("2", body: "a\nb\n"), failed])
        let bytes = CassetteWriter.encode(cassette, format: format)
        for length in 1..<bytes.readableBytes - 1 {
            let cut = try #require(bytes.getSlice(at: 0, length: length))
            guard let read = try? CassetteReader.parse(cut, format: format, fileName: "f") else { continue }
            #expect(!read.exchanges.isEmpty, "empty at \(length)")
        }
    }

    @Test(arguments: CassetteFormat.allCases) func survivesFlippedOctets(format: CassetteFormat) throws {
        let bytes = CassetteWriter.encode(
            Cassette(recordedWith: "x", exchanges: [Samples.plain("1", body: "a\r\nb\n")]), format: format)
        for index in 0..<bytes.readableBytes {
            for octet: UInt8 in [0, 0x0a, 0x22, 0x3a, 0x5b, 0xff, 0x26] {
                var changed = bytes
                changed.setInteger(octet, at: index)
                _ = try? CassetteReader.parse(changed, format: format, fileName: "f")
            }
        }
    }

    @Test func acceptsWhatPeopleWrite() throws {
        let text = """
            # my mock
            playhead: 1
            exchanges:
              - id: 7
                recorded_at: 2026-01-01T01:00:00+01:00
                request: {method: GET, url: "http://h/"}
                response:
                  status: 200
                  body: hello

            """
        let cassette = try CassetteReader.parse(ByteBuffer(string: text), fileName: "f")
        let exchange = try #require(cassette.exchanges.first)
        #expect(exchange.id == "7")
        #expect(exchange.recordedAt == Timestamp("2026-01-01T00:00:00Z"))
        #expect(
            exchange.outcome
                == .response(RecordedResponse(status: 200, body: RecordedBody(.octets(ByteBuffer(string: "hello"))))))
    }

    @Test(arguments: [
        (CassetteFormat.yaml, "playhead: 1\nexchanges: []\n"), (.json, #"{"playhead": 1, "exchanges": []}"#),
    ])
    func passesOverAByteOrderMark(format: CassetteFormat, text: String) throws {
        for mark in ["", "\u{FEFF}"] {
            #expect(
                try CassetteReader.parse(ByteBuffer(string: mark + text), format: format, fileName: "f").exchanges
                    .isEmpty)
        }
    }

    @Test func refusesOtherThanRegularFiles() throws {
        let folder = TemporaryFolder()
        folder.write("playhead: 1\nexchanges: []\n", to: "real.yaml")
        symlink("real.yaml", folder.url("link.yaml").path)
        mkfifo(folder.url("pipe.yaml").path, 0o600)
        mkdir(folder.url("dir.yaml").path, 0o700)
        mkdir(folder.url("sub").path, 0o700)
        symlink("sub", folder.url("linked").path)
        for name in ["link", "pipe", "dir", "linked/x"] {
            #expect(throws: CassetteError(.unreadable, ""), "\(name)") {
                try CassetteReader.read(folder.location(name))
            }
        }
        #expect(try CassetteReader.read(folder.location("real"))?.exchanges == [])
        #expect(try CassetteReader.read(folder.location("none")) == nil)
        #expect(try CassetteReader.read(folder.location("sub/none")) == nil)
        #expect(try CassetteReader.read(folder.location("nowhere/none")) == nil)
    }

    @Test func takesAFileOfLengthZeroForAnEmptyCassette() throws {
        let folder = TemporaryFolder()
        folder.write("", to: "a.yaml")
        #expect(try CassetteReader.read(folder.location())?.exchanges == [])
        folder.write("playhead: 1\nexchanges: []\n", to: "a.yaml")
        #expect(throws: CassetteError(.tooLarge, "")) { try CassetteReader.read(folder.location(), limit: 10) }
    }
}
