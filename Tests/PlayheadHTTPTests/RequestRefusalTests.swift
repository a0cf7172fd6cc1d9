import PlayheadHTTP
import Testing

struct Refusal: Sendable, CustomTestStringConvertible {
    var message: String
    var status: Int
    var code: HTTP1Error.Code
    var testDescription: String { "\(self.code): \(self.message.debugDescription.prefix(90))" }

    init(_ message: String, _ code: HTTP1Error.Code, _ status: Int = 400) {
        self.message = message
        self.status = status
        self.code = code
    }

    /// A refusal of one field line in an otherwise good request.
    static func field(_ line: String, _ code: HTTP1Error.Code, _ status: Int = 400) -> Refusal {
        Refusal("POST / HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n", code, status)
    }

    static func chunked(_ body: String, _ code: HTTP1Error.Code, _ status: Int = 400) -> Refusal {
        Refusal("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)", code, status)
    }
}

@Suite struct RequestRefusalTests {
    static let startLines: [Refusal] = [
        Refusal("\u{16}\u{03}\u{01}\u{02}", .notHTTP),
        Refusal(" GET / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequestLine),
        Refusal("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequestLine),
        Refusal("GET /  HTTP/1.1\r\nHost: a\r\n\r\n", .badRequestLine),
        Refusal("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .badRequestLine),
        Refusal("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", .badRequestLine),
        Refusal("GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", .badMethod),
        Refusal("GE(T / HTTP/1.1\r\nHost: a\r\n\r\n", .badMethod),
        Refusal("GET\r\nHost: a\r\n\r\n", .badRequestLine),
        Refusal("GET /\r\nHost: a\r\n\r\n", .badVersion),
        Refusal("GET / http/1.1\r\nHost: a\r\n\r\n", .badVersion),
        Refusal("GET / HTTP/1.1x\r\nHost: a\r\n\r\n", .badVersion),
        Refusal("GET / HTTP/11\r\nHost: a\r\n\r\n", .badVersion),
        Refusal("GET / HTTPS/1.1\r\nHost: a\r\n\r\n", .badVersion),
        Refusal("GET / HTTP/1.2\r\nHost: a\r\n\r\n", .unsupportedVersion, 505),
        Refusal("GET / HTTP/0.9\r\nHost: a\r\n\r\n", .unsupportedVersion, 505),
        Refusal("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .unsupportedVersion, 505),
        Refusal("GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Refusal("GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Refusal("GET /a\rb HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Refusal("GET /a\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
        Refusal("GET / HTTP/1.1\nHost: a\r\n\r\n", .bareLineFeed),
        Refusal("\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .bareLineFeed),
        Refusal(String(repeating: "\r\n", count: 5) + "GET / HTTP/1.1\r\n", .tooManyEmptyLines),
        Refusal("GET / HTTP/1.1\r\nHost: a\r\n", .unexpectedEnd),
    ]

    static let fields: [Refusal] =
        [
            .field("X: a\n b: c", .bareLineFeed),
            .field("X: a\nY: b", .bareLineFeed),
            .field("X: a\rY: b", .bareCarriageReturn),
            .field("X: a\r", .bareCarriageReturn),
            .field("X\rY: b", .bareCarriageReturn),
            .field("X: a\0b", .controlOctet),
            .field("X: a\u{01}b", .controlOctet),
            .field("X: 0123456789abcdef\u{7F}", .controlOctet),
            .field("X: a\r\n folded", .foldedField),
            .field("X: a\r\n\tfolded: too", .foldedField),
            .field("X : a", .spaceBeforeColon),
            .field("X\t: a", .spaceBeforeColon),
            .field("Transfer-Encoding : chunked", .spaceBeforeColon),
            .field(": a", .emptyFieldName),
            .field("X Y: a", .badFieldName),
            .field("X\0: a", .badFieldName),
            .field("X(Y): a", .badFieldName),
            .field("X\u{E9}: a", .badFieldName),
            .field("no colon", .badFieldName),
            .field("nocolon", .missingColon),
            .field("Host: a", .repeatedHost),
            .field("hOST: b", .repeatedHost),
            Refusal("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .indentedFirstField),
            Refusal("GET / HTTP/1.1\r\n\r\n", .missingHost),
            Refusal("CONNECT a:443 HTTP/1.1\r\n\r\n", .missingHost),
            Refusal("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", .repeatedHost),
        ]
        + [
            "", "a b", "a,b", "a/b", "a@b", "a:b", "a:0", "a:65536", "a:-1", "a:+1", "a:80:80", "a:000080", "*", "*.a",
            "[::1", "[]", "[::g]", "[1.2.3.4]", "[fe80::1%25eth0]", "::1", "a..b", ".a", "a\\b", "a%00", "http://a",
            "a;b",
            "a#", "a?b", String(repeating: "a", count: 64), "\u{E9}.example",
        ].map {
            Refusal("GET / HTTP/1.1\r\nHost: \($0)\r\n\r\n", .badHost)
        }

    static let framing: [Refusal] =
        [
            "+5", "-5", "5 5", "0x5", "", "5a", "5.0", "1e1", "9223372036854775808",
            "99999999999999999999999999", "\u{FF15}", "5;",
        ].map { Refusal.field("Content-Length: \($0)", .badContentLength) }
        + ["5, 5", "5,5", "5,", ", 5", "5, 6"].map { Refusal.field("Content-Length: \($0)", .repeatedContentLength) }
        + [
            "chunked, chunked", "xchunked", "chunked;x", "chunked;q=1", "identity", "gzip", "chunked, gzip", "",
            ",chunked",
            "chunked,", "\"chunked\"", "chun ked", "chunkedchunked", "chunked, identity",
        ].map {
            Refusal.field("Transfer-Encoding: \($0)", .badTransferEncoding)
        }
        + ["gzip, chunked", "deflate,chunked", "gzip, br, Chunked"].map {
            Refusal.field("Transfer-Encoding: \($0)", .unsupportedTransferEncoding, 501)
        } + [
            .field("Content-Length: 5\r\nContent-Length: 5", .repeatedContentLength),
            .field("Content-Length: 5\r\ncontent-length: 6", .repeatedContentLength),
            .field("Content-Length: 5\r\nTransfer-Encoding: chunked", .lengthWithTransferEncoding),
            .field("Transfer-Encoding: chunked\r\nContent-Length: 0", .lengthWithTransferEncoding),
            .field("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .badTransferEncoding),
            .field("Transfer-Encoding: chunked\r\nTransfer-Encoding: ", .badTransferEncoding),
            .field("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", .unsupportedTransferEncoding, 501),
            .field("Transfer-Encoding: \u{0B}chunked", .controlOctet),
            Refusal("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .transferEncodingInHTTP10),
            Refusal("CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", .connectWithContent),
            Refusal("CONNECT a:1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", .connectWithContent),
            Refusal("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcd", .unexpectedEnd),
        ]

    static let chunks: [Refusal] =
        [
            "0x5", "+5", "-5", " 5", "5 ", "5 ;a=b", "g", "", ";a", "5\t", "8000000000000000",
            "FFFFFFFFFFFFFFFF", "10000000000000005", "00000000000000005", "5_0", "\u{FF15}",
        ].map {
            Refusal.chunked("\($0)\r\nabcde\r\n0\r\n\r\n", .badChunkSize)
        } + [
            .chunked("5\nabcde\r\n0\r\n\r\n", .bareLineFeed),
            .chunked("5;a\nabcde\r\n0\r\n\r\n", .bareLineFeed),
            .chunked("5;a\rb\r\nabcde\r\n0\r\n\r\n", .badChunkExtension),
            .chunked("5;a\0b\r\nabcde\r\n0\r\n\r\n", .badChunkExtension),
            .chunked("5\r\nabcdef\r\n0\r\n\r\n", .badChunkEnd),
            .chunked("5\r\nabcde\n0\r\n\r\n", .badChunkEnd),
            .chunked("5\r\nabcde0\r\n\r\n", .badChunkEnd),
            .chunked("5\r\nabcde\rX0\r\n\r\n", .badChunkEnd),
            .chunked("0\r\n\n", .bareLineFeed),
            .chunked("0\r\nX : a\r\n\r\n", .spaceBeforeColon),
            .chunked("0\r\nX: a\r\n b\r\n\r\n", .foldedField),
            .chunked("0\r\nX: a\0\r\n\r\n", .controlOctet),
            .chunked("0\r\n", .unexpectedEnd),
            .chunked("5\r\nab", .unexpectedEnd),
            .chunked("5;" + String(repeating: "a", count: 20_000) + "\r\nabcde\r\n0\r\n\r\n", .chunkExtensionsTooLong),
        ]

    @Test(arguments: startLines + fields + framing + chunks)
    func refuses(_ refusal: Refusal) {
        let octets = refusal.message.contains("\u{FF15}") ? Array(refusal.message.utf8) : latin1(refusal.message)
        let whole = requestTranscript([octets[...]])
        #expect(whole.lines.last == "error \(refusal.status) \(refusal.code)", "\(whole)")
        // Every cut of a very long message takes minutes and shows nothing that a short one does not.
        for pieces in octets.count > 2_000 ? [] : splits(of: octets) {
            let parts = requestTranscript(pieces)
            guard parts == whole else {
                Issue.record("cut \(pieces.map(\.count)): \(parts) instead of \(whole)")
                return
            }
        }
    }
}

/// The octets of a text whose scalars all fit one octet.
func latin1(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
