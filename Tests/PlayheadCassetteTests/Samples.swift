import Foundation
import NIOCore
import PlayheadCassette
import PlayheadHTTP
import PlayheadTestSupport

/// A folder of its own for one test, removed with it.
final class TemporaryFolder {
    let path: String

    init() {
        self.path = FileManager.default.temporaryDirectory.appendingPathComponent("cassette-\(UUID())").path
        try? FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    func location(_ name: String = "a") -> CassetteLocation {
        CassetteLocation(folder: self.path, name: try! CassetteName.validated(name))
    }

    func write(_ text: String, to name: String) { try! Data(text.utf8).write(to: self.url(name)) }
    func data(_ name: String) -> Data? { try? Data(contentsOf: self.url(name)) }
    func url(_ name: String) -> URL { URL(fileURLWithPath: self.path).appendingPathComponent(name) }
    var names: [String] { try! FileManager.default.subpathsOfDirectory(atPath: self.path).sorted() }
}

enum Samples {
    /// Texts that break naive writers of YAML.
    static let texts = [
        "", " ", "\n", "\n\n", "\t", "a", "yes", "no", "Null", "~", "1e3", "0x10", "1_000", "12:30:45", "2026-11-21",
        ".5", "-", "- a", "--- a", "---", "...", "? a", ": a", "a: b", "a:", "a #b", "#a", "&a", "*a", "!a", "|", ">",
        "@a", "`a", "%a", "'a'", "\"a\"", "it's", "a\\b", "{a}", "[a]", "a,b", " lead", "trail ", "\tlead", "trail\t",
        "a\nb", "a\nb\n", "a\nb\n\n", "\na", "\n a\nb", " a\nb", "\ta\nb", "a\n b\n  c", "a\n\n\nb", "a\n ", "a\n \n",
        "a\n\t", "a \nb \n", "a\r\nb\r\n", "a\rb", "\r", "a\u{85}b", "a\u{85}\nb\n", "a\u{2028}b\n", "a\u{2029}\n",
        "\u{feff}a", "a\u{feff}\nb", "é", "日本語", "emoji 👩‍👩‍👧‍👦 here", "👍\n👍\n", "\u{fffe}", "\u{ffff}\n", "\u{10ffff}",
        "\u{1fffe}", "---\na\n...\n", "# not a comment\n# neither\n", "key: value\n- item\n",
        "<<<<<<< HEAD\na\n=======\n",
        "\u{7f}", "\u{1}", "\u{9f}", "a\u{0}b", "e\u{301}", "\n\n  \n", "   \n   a", "a\n   \nb", "a\\\nb\"\n' c\n",
        "\r\n a\r\n\tb\r\n", "/path", "/", "https://example.com/a?b=c", "{{X}}", "%TAG ! x\n", "=", "<<",
        String(repeating: "long ", count: 3000), String(repeating: "x", count: 61),
        String(repeating: "x", count: 61) + " ", " " + String(repeating: "y'\"", count: 61),
        "{\"a\": [1, 2, {\"b\": \"it's\"}], \"long\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}",
    ]

    static func headers(_ generator: inout SeededGenerator) -> HeaderList {
        var headers = HeaderList()
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let name = ["Host", "host", "X-A", "set-cookie", "a", "n", "yes", "!#$", "1"].randomElement(
                using: &generator)!
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                headers.append(
                    name: name, octets: (0..<5).map { _ in UInt8.random(in: 0x80...0xff, using: &generator) })
            case 1:
                let octets = (0..<8).map { _ in UInt8.random(in: 1...255, using: &generator) }
                headers.append(name: name, octets: octets.filter { $0 != 10 && $0 != 13 })
            default:
                let text = self.texts.randomElement(using: &generator)!
                headers.append(name: name, octets: text.utf8.filter { $0 != 10 && $0 != 13 && $0 != 0 })
            }
        }
        return headers
    }

    static func body(_ generator: inout SeededGenerator) -> RecordedBody {
        var body = RecordedBody()
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: break
        case 1:
            let octets = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            body.content = .octets(ByteBuffer(bytes: octets))
        case 2:
            let sha = String(repeating: "0123456789abcdef", count: 4)
            body.content = .file(
                SideFileReference(
                    name: "\(sha).json", length: Int.random(in: 0...1_000_000, using: &generator), sha256: sha))
        case 3:
            let pieces = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                self.texts.randomElement(using: &generator)!
            }
            body.content = .octets(
                ByteBuffer(string: pieces.joined(separator: Bool.random(using: &generator) ? "\n" : "")))
        case 4:
            let alphabet = Array(" \n\t\r:#-'\"\\a|>\u{85}é\u{2028}".unicodeScalars)
            var text = ""
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                text.unicodeScalars.append(alphabet.randomElement(using: &generator)!)
            }
            body.content = .octets(ByteBuffer(string: text))
        default: body.content = .octets(ByteBuffer(string: self.texts.randomElement(using: &generator)!))
        }
        if Bool.random(using: &generator) {
            body.coding = [["gzip"], ["br"], ["gzip", "br"]].randomElement(using: &generator)!
        }
        body.isTruncated = Int.random(in: 0..<4, using: &generator) == 0
        return body
    }

    static func response(_ generator: inout SeededGenerator) -> RecordedResponse {
        RecordedResponse(
            status: Int.random(in: 200...999, using: &generator),
            reason: ["", "OK", "yes", "a: b", "Ünïcode #1", " x "].randomElement(using: &generator)!,
            version: [HTTPVersion.http1_0, .http1_1, .http2].randomElement(using: &generator)!,
            headers: self.headers(&generator), body: self.body(&generator), trailers: self.headers(&generator),
            chunks: (0..<Int.random(in: 0...3, using: &generator)).map {
                .init(at: $0 * 7, length: $0, after: $0 == 2 ? 1 : nil)
            })
    }

    static func webSocket(_ generator: inout SeededGenerator) -> RecordedWebSocket {
        var response = self.response(&generator)
        response.status = 101
        response.body = RecordedBody()
        response.trailers = HeaderList()
        response.chunks = []
        let frames = (0..<Int.random(in: 0...6, using: &generator)).map { number -> RecordedWebSocket.Frame in
            var frame = RecordedWebSocket.Frame(
                RecordedWebSocket.Sender.allCases.randomElement(using: &generator)!, at: number * 7,
                RecordedWebSocket.Opcode.allCases.randomElement(using: &generator)!)
            switch frame.opcode {
            case .text:
                let text = self.texts.randomElement(using: &generator)!
                if !text.isEmpty { frame.payload.content = .octets(ByteBuffer(string: text)) }
                if number == 2 { frame.fragments = [1, text.utf8.count - 1].filter { $0 >= 0 } }
            case .binary: frame.payload.content = .octets(ByteBuffer(bytes: [0, UInt8(number), 0xff]))
            case .close:
                frame.closeCode = [nil, 1000, 1001, 1011, 3000, 4999].randomElement(using: &generator)!
                if frame.closeCode != nil { frame.payload.content = .octets(ByteBuffer(string: "bye: #\(number)")) }
            case .ping, .pong: frame.payload.content = .octets(ByteBuffer(string: "p"))
            }
            return frame
        }
        return RecordedWebSocket(
            response: response, frames: frames,
            ending: RecordedWebSocket.Ending.allCases.randomElement(using: &generator)!)
    }

    static func exchange(id: String, _ generator: inout SeededGenerator) -> Exchange {
        let request = RecordedRequest(
            method: ["GET", "POST", "yes", "M-SEARCH", "null", "!"].randomElement(using: &generator)!,
            url: ["https://example.com/", "http://a:8080/x?y=1&z='q'", "https://[::1]/é{}[],#", "http://h"]
                .randomElement(using: &generator)!,
            version: [HTTPVersion.http1_0, .http1_1, .http2].randomElement(using: &generator)!,
            headers: self.headers(&generator), body: self.body(&generator), trailers: self.headers(&generator))
        let outcome: Exchange.Outcome
        let kind = Int.random(in: 0..<6, using: &generator)
        if kind == 0 {
            outcome = .webSocket(self.webSocket(&generator))
        } else if kind == 1 {
            outcome = .failure(
                RecordedFailure(
                    kind: RecordedFailure.Kind.allCases.randomElement(using: &generator)!,
                    message: self.texts.randomElement(using: &generator)!,
                    error: Bool.random(using: &generator) ? "dns_timeout" : nil,
                    partial: Bool.random(using: &generator) ? self.response(&generator) : nil))
        } else {
            outcome = .response(self.response(&generator))
        }
        return Exchange(
            id: id,
            recordedAt: Timestamp(
                milliseconds: Int64.random(in: -62_000_000_000_000...250_000_000_000_000, using: &generator)),
            request: request, outcome: outcome,
            timing: .init(
                firstByte: Bool.random(using: &generator) ? Int.random(in: 0...9999, using: &generator) : nil,
                total: Bool.random(using: &generator) ? 12 : nil))
    }

    /// A small exchange that reads like a real one.
    static func plain(_ id: String, body: String = "hello\n") -> Exchange {
        Exchange(
            id: id, recordedAt: Timestamp(milliseconds: 1_795_230_000_123),
            request: RecordedRequest(
                method: "GET", url: "https://example.com/a?b=\(id)",
                headers: HeaderList([("Host", "example.com"), ("Accept", "*/*")])),
            outcome: .response(
                RecordedResponse(
                    status: 200, reason: "OK", headers: HeaderList([("Content-Type", "text/plain")]),
                    body: RecordedBody(.octets(ByteBuffer(string: body))))),
            timing: .init(firstByte: 3, total: 4))
    }
}
