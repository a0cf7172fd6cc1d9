import NIOCore
import Testing

@testable import PlayheadProxy

@Suite struct HTTP2PrefaceTests {
    @Test(arguments: [
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", HTTP2Preface.Match.whole),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0", .whole), ("PRI * HTTP/2.0\r\n\r\nSM", .partial), ("P", .partial),
        ("POST / HTTP/1.1\r\n", .none), ("PRI * HTTP/1.1", .none), ("GET", .none),
    ])
    func matches(octets: String, match: HTTP2Preface.Match) {
        #expect(HTTP2Preface.match(ByteBuffer(string: octets)) == match)
    }
}
