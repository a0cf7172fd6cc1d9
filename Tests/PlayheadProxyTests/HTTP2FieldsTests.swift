import NIOHPACK
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

@Suite struct HTTP2FieldsTests {
    private static let tunnel = Door.tunnel(Authority(host: "a.test", port: 443), isSecure: true)
    private static let pseudo = [(":method", "GET"), (":scheme", "https"), (":authority", "a.test"), (":path", "/x")]

    @Test func makesAHeadWithHostInFrontAndCookiesJoined() throws {
        let fields = [("cookie", "a=1"), ("accept", "*/*"), ("cookie", "b=2"), ("cookie", "c=3")]
        let (head, framing) = try HTTP2Fields.request(
            HPACKHeaders(Self.pseudo + fields), endsStream: true, through: Self.tunnel)
        #expect(head.method == "GET")
        #expect(head.target == "/x")
        #expect(head.version == .http2)
        #expect(
            head.headers == HeaderList([("host", "a.test"), ("cookie", "a=1; b=2; c=3"), ("accept", "*/*")]))
        #expect(framing == .none)
    }

    @Test func writesTheTargetInAbsoluteFormOutsideOfATunnel() throws {
        let (head, _) = try HTTP2Fields.request(HPACKHeaders(Self.pseudo), endsStream: true, through: .proxy)
        #expect(head.target == "https://a.test/x")
    }

    @Test func knowsHowLongABodyIs() throws {
        func framing(_ fields: [(String, String)], ends: Bool) throws -> BodyFraming {
            try HTTP2Fields.request(HPACKHeaders(Self.pseudo + fields), endsStream: ends, through: Self.tunnel).framing
        }
        #expect(try framing([], ends: false) == .chunked)
        #expect(try framing([("content-length", "5"), ("content-length", "5")], ends: false) == .length(5))
        #expect(try framing([("content-length", "0")], ends: true) == .none)
    }

    @Test(arguments: [
        [("host", "b.test")], [("x-a", "a\u{1}b")], [("x-a", " a")], [("x-a", "a\t")], [("content-length", "+5")],
        [("content-length", "5"), ("content-length", "6")], [("content-length", "")],
        [("content-length", "99999999999999999999")], [("host", "a.test"), ("host", "a.test")],
    ])
    func refusesAmbiguousFields(fields: [(String, String)]) {
        #expect(throws: MalformedMessage.self) {
            try HTTP2Fields.request(HPACKHeaders(Self.pseudo + fields), endsStream: false, through: Self.tunnel)
        }
    }

    @Test(arguments: [
        ("GE T", "a.test", "/"), ("GET", "a.test", "x"), ("GET", "a.test", "*"), ("GET", "a b", "/"),
        ("GET", "user@a.test", "/"), ("GET", "a.test:99999", "/"),
    ])
    func refusesStrangeTargets(method: String, authority: String, path: String) {
        let fields = [(":method", method), (":scheme", "https"), (":authority", authority), (":path", path)]
        #expect(throws: MalformedMessage.self) {
            try HTTP2Fields.request(HPACKHeaders(fields), endsStream: true, through: Self.tunnel)
        }
    }

    @Test func refusesTooManyFields() {
        let fields = (0...HTTP2Fields.countLimit).map { ("x-\($0)", "") }
        #expect(throws: MalformedMessage.self) {
            try HTTP2Fields.request(HPACKHeaders(Self.pseudo + fields), endsStream: true, through: Self.tunnel)
        }
    }

    @Test func makesAResponse() throws {
        let (head, framing) = try HTTP2Fields.response(
            [":status": "200", "content-length": "3"], toHead: false)
        #expect(head == ResponseHead(status: 200, reason: "", version: .http2, headers: [("content-length", "3")].list))
        #expect(framing == .length(3))
        #expect(try HTTP2Fields.response([":status": "204"], toHead: false).framing == .none)
        #expect(try HTTP2Fields.response([":status": "200"], toHead: true).framing == .none)
        #expect(try HTTP2Fields.response([":status": "200"], toHead: false).framing == .chunked)
    }

    @Test(arguments: ["", "20", "2000", "099", "abc", "101"])
    func refusesStrangeStatuses(status: String) {
        #expect(throws: MalformedMessage.self) {
            try HTTP2Fields.response([":status": status], toHead: false)
        }
    }

    @Test func leavesOutWhatBelongsToAConnection() {
        let headers = HeaderList([
            ("Host", "a.test:1"), ("Connection", "x"), ("Transfer-Encoding", "chunked"), ("X-Case", "Yes"),
        ])
        let request = HTTP2Fields.fields(
            of: RequestHead(method: "GET", target: "/", headers: headers), scheme: "https", authority: "a.test")
        #expect(
            request.map { "\($0.name)=\($0.value)" }
                == [":method=GET", ":scheme=https", ":authority=a.test:1", ":path=/", "x-case=Yes"])
        let response = HTTP2Fields.fields(of: ResponseHead(status: 200, reason: "OK", headers: headers))
        #expect(response.map(\.name) == [":status", "host", "x-case"])
    }

    @Test func takesRoutingAndFramingFieldsOutOfTrailers() throws {
        let trailers = try HTTP2Fields.trailers(["grpc-status": "0", "content-length": "5", "host": "b"])
        #expect(trailers == HeaderList([("grpc-status", "0")]))
    }
}

extension [(String, String)] {
    fileprivate var list: HeaderList { HeaderList(self) }
}
