import NIOCore
import PlayheadHTTP
import Testing

@Suite struct GRPCTests {
    @Test(arguments: [
        ("application/grpc", true), ("application/grpc+proto", true), ("Application/gRPC; charset=x", true),
        ("application/grpc-web", false), ("application/grpcx", false), ("text/plain", false), ("", false),
    ])
    func knowsTheMediaType(value: String, isGRPC: Bool) {
        #expect(GRPC.isMediaType(value) == isGRPC)
        #expect(!GRPC.isMediaType(nil))
    }

    @Test func encodesWhatAFieldMustNotHold() {
        #expect(GRPC.message("100 % sure\né") == "100 %25 sure%0A%C3%A9")
    }

    @Test(arguments: 1...13)
    func findsTheEndsOfMessagesHoweverTheyAreCut(size: Int) {
        let octets: [UInt8] = [0, 0, 0, 0, 3, 1, 2, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 9, 0, 0, 0, 1, 0]
        var borders = GRPCMessageBorders()
        var ends: [Int] = []
        for start in stride(from: 0, to: octets.count, by: size) {
            ends += borders.take(ByteBuffer(bytes: octets[start..<min(start + size, octets.count)]))
        }
        #expect(ends == [8, 5, 6])
        #expect(borders.open == 5)
    }

    @Test func waitsForMessagesOfAnyLength() {
        var borders = GRPCMessageBorders()
        #expect(borders.take(ByteBuffer(bytes: [0, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2])) == [])
        #expect(borders.open == 7)
    }
}
