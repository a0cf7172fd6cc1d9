import NIOCore
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// Request bodies that are needed whole.
@Suite struct BodyCollectorTests {
    private func collected(_ pieces: [String], spills: Bool = true) -> (BodyCollector, IncomingBody) {
        let collector = BodyCollector(spills: spills, limit: 10)
        for piece in pieces { collector.append(ByteBuffer(string: piece)) }
        return (collector, collector.finish())
    }

    @Test func keepsInMemoryWhatFits() throws {
        let (collector, body) = self.collected(["12345", "67890"])
        guard case .octets(let octets) = collector.content, case .octets(let same) = body else {
            Issue.record("not in memory")
            return
        }
        #expect(String(buffer: octets) == "1234567890" && octets == same)
        guard case .none = self.collected([]).1 else {
            Issue.record("no body is none")
            return
        }
    }

    @Test func keepsTheRestInAFileAndItsHash() throws {
        let (collector, body) = self.collected(["12345", "67890", "a", "bc"])
        guard case .file(let file) = collector.content, case .hashed(let digest, let length) = body else {
            Issue.record("not in a file")
            return
        }
        #expect(length == 13)
        // printf 1234567890abc | sha256sum
        #expect(digest == "343c791deda10905e9c03bccaeb75413c9ee960af7b1f2291f4acc9925e2065a")
        #expect(String(buffer: try file.read(limit: .max)) == "1234567890abc")
        let reader = file.reader()
        #expect(String(buffer: try reader.next(4)) == "1234")
        #expect(String(buffer: try reader.next(99)) == "567890abc")
        #expect(try reader.next(4).readableBytes == 0)
    }

    @Test func keepsNothingThatNobodyWillSend() {
        let (collector, body) = self.collected(["1234567890abc"], spills: false)
        guard case .octets(let octets) = collector.content, case .hashed(_, 13) = body else {
            Issue.record("kept")
            return
        }
        #expect(octets.readableBytes == 0)
    }
}
