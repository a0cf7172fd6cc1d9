import NIOCore
import PlayheadContent
import Testing

/// Content codings taken off piece by piece.
struct StreamDecoderTests {
    private static let text = String(repeating: "Der Zug nach Köln fährt um 12 Uhr. ", count: 9000)

    private func decoded(
        _ coded: ByteBuffer, _ codings: [ContentCoding], piece: Int, limit: Int = 1 << 24
    ) throws -> ByteBuffer {
        let decoder = try StreamDecoder(codings, limit: limit)
        var result = ByteBuffer()
        var rest = coded
        while let slice = rest.readSlice(length: min(piece, rest.readableBytes)), slice.readableBytes > 0 {
            try decoder.take(slice) { result.writeImmutableBuffer($0) }
        }
        try decoder.finish()
        return result
    }

    @Test(
        arguments: [[ContentCoding.gzip], [.deflate], [.br], [.zstd], [.gzip, .br], [.zstd, .deflate]],
        [1, 7, 4096, 1 << 24])
    func givesWhatWasCoded(codings: [ContentCoding], piece: Int) throws {
        let coded = try ContentEncoder.encode(ByteBuffer(string: Self.text), codings: codings)
        #expect(String(buffer: try self.decoded(coded, codings, piece: piece)) == Self.text)
    }

    @Test(arguments: [1, 5, 4096]) func readsSeveralMembersOfGzip(piece: Int) throws {
        var coded = try ContentEncoder.encode(ByteBuffer(string: "one, "), codings: [.gzip])
        coded.writeImmutableBuffer(try ContentEncoder.encode(ByteBuffer(string: "two"), codings: [.gzip]))
        #expect(String(buffer: try self.decoded(coded, [.gzip], piece: piece)) == "one, two")
    }

    @Test(arguments: ContentCoding.allCases) func saysWhatIsWrong(coding: ContentCoding) throws {
        let coded = try ContentEncoder.encode(ByteBuffer(string: Self.text), codings: [coding])
        func code(_ octets: ByteBuffer, limit: Int = 1 << 24) -> ContentError.Code? {
            do {
                _ = try self.decoded(octets, [coding], piece: 100, limit: limit)
                return nil
            } catch { return (error as? ContentError)?.code }
        }
        var cut = coded
        cut.moveWriterIndex(to: coded.writerIndex - 3)
        #expect(code(cut) == .truncated)
        #expect(code(coded, limit: 5000) == .tooLarge)
        #expect(code(ByteBuffer(string: "\u{7}this is no such data at all, rather a text")) != nil)
    }
}
