import NIOCore
import PlayheadCassette
import Testing

struct SpillCipherTests {
    @Test func codesAndDecodesPieceByPieceWhateverTheirSize() {
        let plain = ByteBuffer(string: String(repeating: "sixteen octets..", count: 200_000) + "and some")
        let cipher = SpillCipher()
        var coded = ByteBuffer()
        var rest = plain
        for length in [0, 1, 15, 16, 17, 1_500_000] {
            var piece = cipher.apply(rest.readSlice(length: length) ?? ByteBuffer())
            coded.writeBuffer(&piece)
        }
        var piece = cipher.apply(rest)
        coded.writeBuffer(&piece)
        #expect(coded.readableBytes == plain.readableBytes)
        #expect(!String(buffer: coded).contains("sixteen"))
        let reader = cipher.fromStart()
        var again = reader.apply(coded.readSlice(length: 33) ?? ByteBuffer())
        var tail = reader.apply(coded)
        again.writeBuffer(&tail)
        #expect(again == plain)
    }

    @Test func everyFileHasAKeyOfItsOwn() {
        let plain = ByteBuffer(repeating: 0, count: 64)
        #expect(SpillCipher().apply(plain) != SpillCipher().apply(plain))
    }
}
