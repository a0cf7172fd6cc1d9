import Foundation
import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// Bodies that are too large to be searched for secrets in memory, recorded whole.
struct LargeBodyTests {
    private static let secret = "ghp_0123456789abcdefghij0123456789abcdef"
    private static let line = "a line of a log without anything to hide in it, number "
    private let folder: Folder

    init() throws { self.folder = try Folder() }

    private func session(_ filters: FilterChain = FilterChain()) throws -> CassetteSession {
        var options = SessionOptions(
            location: CassetteLocation(folder: self.folder.path, name: try CassetteName.validated("one")), mode: .once,
            recordedWith: "test")
        options.filters = filters
        return try CassetteSession.open(options, clock: { Timestamp(milliseconds: 1_000_000) })
    }

    /// Records a response as the proxy does, with a bound of 256 KiB in place of 8 MiB.
    private func record(
        _ body: ByteBuffer, _ fields: [(String, String)], keepsCoding: Bool = false,
        filters: FilterChain = FilterChain()
    ) throws -> (stored: RecordedBody, octets: String, loss: String?) {
        let session = try self.session(filters)
        defer { _ = try? session.close() }
        let headers = HeaderList(fields)
        var capture = BodyCapture(headers: headers, wholeLimit: 256 * 1024)
        var rest = body
        while let piece = rest.readSlice(length: min(rest.readableBytes, 50_000)), piece.readableBytes > 0 {
            capture.append(piece)
        }
        let stored = capture.finish(keepsCoding: keepsCoding, headers: headers, isRequest: false, in: session)
        return (stored.body, String(buffer: try stored.body.octets(at: session.location)), stored.loss)
    }

    private static func log(_ lines: Int, secretAt place: Int? = nil) -> String {
        (0..<lines).map { Self.line + "\($0)" + ($0 == place ? " token \(Self.secret)" : "") + "\n" }.joined()
    }

    @Test func recordsATextOverTheBoundWholeAndWithoutItsSecrets() throws {
        let text = Self.log(20_000, secretAt: 15_000)
        let (body, octets, loss) = try self.record(ByteBuffer(string: text), [("Content-Type", "text/plain")])
        #expect(loss == nil && !body.isTruncated)
        #expect(octets == text.replacing(Self.secret, with: "[REDACTED:github-token#1]"))
    }

    @Test func searchesBinaryDataToo() throws {
        var data = ByteBuffer(repeating: 0, count: 300_000)
        data.writeString(" \(Self.secret) ")
        let (_, octets, _) = try self.record(data, [("Content-Type", "application/octet-stream")])
        #expect(octets.hasSuffix(" [REDACTED:github-token#1] "))
    }

    @Test(arguments: ContentCoding.allCases)
    func keepsCodedOctetsExactlyUnlessASecretIsInThem(coding: ContentCoding) throws {
        let fields = [("Content-Type", "text/plain"), ("Content-Encoding", coding.rawValue)]
        let clear = try ContentEncoder.encode(ByteBuffer(string: Self.log(20_000)), codings: [coding])
        let kept = try self.record(clear, fields)
        #expect(kept.stored.coding.isEmpty && !kept.stored.isTruncated)
        #expect(try kept.stored.octets(at: try self.session().location) == clear)
        let text = Self.log(20_000, secretAt: 19_999)
        let coded = try ContentEncoder.encode(ByteBuffer(string: text), codings: [coding])
        let changed = try self.record(coded, fields)
        #expect(changed.stored.coding == [coding.rawValue] && changed.loss == nil)
        #expect(changed.octets == text.replacing(Self.secret, with: "[REDACTED:github-token#1]"))
    }

    @Test func leavesOutWhatBrokeOffInItsCodingIfASecretIsInIt() throws {
        let fields = [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")]
        for (text, isKept) in [(Self.log(900), true), (Self.log(900, secretAt: 3), false)] {
            var coded = try ContentEncoder.encode(ByteBuffer(string: text), codings: [.gzip])
            coded.moveWriterIndex(to: coded.writerIndex - 9)
            let whole = coded
            for keepsCoding in [true, false] {
                let (body, _, loss) = try self.record(coded, fields, keepsCoding: keepsCoding)
                #expect((loss == nil) == isKept)
                #expect(try body.octets(at: try self.session().location) == (isKept ? whole : ByteBuffer()))
                #expect(body.isTruncated == !isKept)
            }
        }
    }

    @Test func leavesOutABombInsteadOfTrustingIt() throws {
        let coded = try ContentEncoder.encode(ByteBuffer(repeating: 0x61, count: 40 << 20), codings: [.zstd])
        let (body, _, loss) = try self.record(coded, [("Content-Encoding", "zstd")])
        #expect(body.isTruncated && loss?.contains("decodes to more than") == true)
    }

    @Test func leavesOutWhatAFilterByKeyCannotRead() throws {
        var filters = FilterChain()
        filters.responseBody = try BodyFilter([.init("email", .remove)])
        let text = "[" + (0..<30_000).map { "{\"n\":\($0)}" }.joined(separator: ",") + "]"
        let (body, _, loss) = try self.record(
            ByteBuffer(string: text), [("Content-Type", "application/json")], filters: filters)
        #expect(body.isTruncated && loss?.contains("filters by key") == true)
    }

    @Test func warnsOfWhatIsLeftOutAndCountsTheRest() throws {
        let session = try self.session()
        let exchange = Exchange(
            id: "", recordedAt: Timestamp(milliseconds: 1),
            request: RecordedRequest(method: "GET", url: "https://a.test/x?token=\(Self.secret)"),
            outcome: .response(RecordedResponse(status: 200, body: RecordedBody(.none, isTruncated: true))))
        let request = IncomingRequest(
            method: "GET", scheme: "https", host: "a.test", port: 443, pathAndQuery: "/x", version: .http1_1,
            headers: HeaderList(), body: .none)
        session.record(exchange, request: request, leftOut: "it is a bomb")
        let summary = try session.close()
        #expect(summary.recorded == 1)
        #expect(summary.warnings.contains { $0.contains("it is a bomb") && !$0.contains(Self.secret) })
    }

    @Test func searchesOutsideTheLockOfTheSession() async throws {
        // A hook runs where the search does; while one exchange is in it, another is recorded.
        let other = Box<CassetteSession?>(nil)
        var filters = FilterChain()
        filters.beforeRecord = { exchange in
            if exchange.request.url.hasSuffix("/big") { Self.small(in: other.value) }
            return exchange
        }
        let session = try self.session(filters)
        other.value = session
        let exchange = Exchange(
            id: "", recordedAt: Timestamp(milliseconds: 1),
            request: RecordedRequest(method: "GET", url: "https://a.test/big"),
            outcome: .response(RecordedResponse(status: 200)))
        session.record(exchange, request: Self.request("/big"))
        #expect(try session.close().recorded == 2)
        let urls = try #require(try CassetteReader.read(session.location)).exchanges.map {
            "\($0.id) \($0.request.url)"
        }
        #expect(urls == ["1 https://a.test/small", "2 https://a.test/big"])
    }

    private static func request(_ path: String) -> IncomingRequest {
        IncomingRequest(
            method: "GET", scheme: "https", host: "a.test", port: 443, pathAndQuery: path, version: .http1_1,
            headers: HeaderList(), body: .none)
    }

    private static func small(in session: CassetteSession?) {
        let exchange = Exchange(
            id: "", recordedAt: Timestamp(milliseconds: 1),
            request: RecordedRequest(method: "GET", url: "https://a.test/small"),
            outcome: .response(RecordedResponse(status: 200)))
        session?.record(exchange, request: Self.request("/small"))
    }
}
