import NIOCore
import PlayheadContent
import Testing

struct ContentCodingTests {
    static let bodies: [ByteBuffer] = [
        ByteBuffer(), ByteBuffer(string: "a"), ByteBuffer(string: String(repeating: "hello world ", count: 9000)),
        ByteBuffer(bytes: (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }),
    ]

    @Test(arguments: ContentCoding.allCases) func decodesWhatItEncodes(coding: ContentCoding) throws {
        for body in Self.bodies {
            let coded = try ContentEncoder.encode(body, codings: [coding])
            #expect(try ContentDecoder.decode(coded, codings: [coding]) == body)
            #expect(try ContentEncoder.encode(body, codings: [coding]) == coded)
        }
    }

    @Test func takesSeveralCodingsOffInReverse() throws {
        let body = ByteBuffer(string: "hello")
        let coded = try ContentEncoder.encode(body, codings: [.gzip, .br, .zstd])
        #expect(try ContentDecoder.decode(coded, codings: [.gzip, .br, .zstd]) == body)
        #expect(throws: ContentError.self) { try ContentDecoder.decode(coded, codings: [.zstd, .br, .gzip]) }
    }

    @Test(arguments: ContentCoding.allCases) func refusesDataCutOffAnywhere(coding: ContentCoding) throws {
        let coded = try ContentEncoder.encode(ByteBuffer(string: "hello hello hello hello"), codings: [coding])
        for length in 0..<coded.readableBytes {
            let cut = try #require(coded.getSlice(at: 0, length: length))
            #expect(throws: ContentError.self, "\(length)") { try ContentDecoder.decode(cut, codings: [coding]) }
        }
    }

    @Test(arguments: ContentCoding.allCases) func refusesOctetsAfterTheEnd(coding: ContentCoding) throws {
        var coded = try ContentEncoder.encode(ByteBuffer(string: "hello"), codings: [coding])
        coded.writeString("x")
        #expect(throws: ContentError.self) { try ContentDecoder.decode(coded, codings: [coding]) }
    }

    @Test(arguments: ContentCoding.allCases) func refusesBombs(coding: ContentCoding) throws {
        let zeros = ByteBuffer(repeating: 0, count: 8 << 20)
        let coded = try ContentEncoder.encode(zeros, codings: [coding])
        #expect(throws: ContentError(.tooLarge, "")) {
            try ContentDecoder.decode(coded, codings: [coding], limit: 1 << 20)
        }
        let twice = try ContentEncoder.encode(coded, codings: [coding])
        #expect(throws: ContentError(.tooLarge, "")) { try ContentDecoder.decode(twice, codings: [coding, coding]) }
    }

    @Test func readsRawDeflate() throws {
        // Raw deflate: the zlib form without its two octets in front and its four behind.
        let body = ByteBuffer(string: "hello hello hello")
        let coded = try ContentEncoder.encode(body, codings: [.deflate])
        let raw = try #require(coded.getSlice(at: 2, length: coded.readableBytes - 6))
        #expect(try ContentDecoder.decode(raw, codings: [.deflate]) == body)
    }

    @Test func readsSeveralGzipMembers() throws {
        var coded = try ContentEncoder.encode(ByteBuffer(string: "a"), codings: [.gzip])
        var second = try ContentEncoder.encode(ByteBuffer(string: "b"), codings: [.gzip])
        coded.writeBuffer(&second)
        #expect(try ContentDecoder.decode(coded, codings: [.gzip]) == ByteBuffer(string: "ab"))
    }

    @Test func gzipHeaderHasNoTimeAndNoSystem() throws {
        let coded = try ContentEncoder.encode(ByteBuffer(string: "a"), codings: [.gzip])
        #expect(coded.getBytes(at: 0, length: 10) == [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
    }

    @Test func readsContentEncodingFields() {
        #expect(ContentCoding.list(fromHeader: "") == [])
        #expect(ContentCoding.list(fromHeader: " GZip ,x-gzip, identity,\tbr") == [.gzip, .gzip, .br])
        #expect(ContentCoding.list(fromHeader: "gzip, compress") == nil)
    }
}
