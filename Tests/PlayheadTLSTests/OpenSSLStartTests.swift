import Testing

@testable import PlayheadTLS

@Suite("Warming OpenSSL up")
struct OpenSSLStartTests {
    @Test("the key that is decoded is one: the decoder is really used")
    func decodesTheGenerator() {
        #expect(OpenSSLStart.decodeKey())
    }

    @Test("it leaves no error behind, on any number of threads at once")
    func leavesNothingBehind() async {
        let empty = OpenSSLErrorStack.drain().summary
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    OpenSSLStart.prepare()
                    OpenSSLStart.warmUp()
                    #expect(OpenSSLErrorStack.drain().summary == empty)
                }
            }
        }
    }
}
