import NIOCore
import Testing

@testable import PlayheadCassette

struct AESGCMTests {
    /// Test case 16 of the paper that NIST SP 800-38D refers to (McGrew and Viega).
    private static let key = octets("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
    private static let nonce = octets("cafebabefacedbaddecaf888")
    private static let covering = octets("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    private static let plain = octets(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
            + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
    private static let sealed = octets(
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
            + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b")

    private static func octets(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0..<$0 + 2]), radix: 16)! }
    }

    @Test func sealsAsThePaperSays() {
        var out = ByteBuffer()
        let cipher = AESGCM(key: Self.key)
        Self.plain.withUnsafeBytes { cipher.seal($0, nonce: Self.nonce, covering: Self.covering, into: &out) }
        #expect(Array(out.readableBytesView) == Self.sealed)
    }

    @Test func opensWhatWasSealedAndNothingElse() {
        let cipher = AESGCM(key: Self.key)
        var out = ByteBuffer(string: "before ")
        #expect(Self.sealed.withUnsafeBytes { cipher.open($0, nonce: Self.nonce, covering: Self.covering, into: &out) })
        #expect(Array(out.readableBytesView) == Array("before ".utf8) + Self.plain)
        out = ByteBuffer(string: "before ")
        for index in Self.sealed.indices {
            var changed = Self.sealed
            changed[index] ^= 1
            let isOpen = changed.withUnsafeBytes {
                cipher.open($0, nonce: Self.nonce, covering: Self.covering, into: &out)
            }
            #expect(!isOpen && String(buffer: out) == "before ", "\(index)")
        }
        for length in 0..<Self.sealed.count {
            let isOpen = Self.sealed[..<length].withUnsafeBytes {
                cipher.open($0, nonce: Self.nonce, covering: Self.covering, into: &out)
            }
            #expect(!isOpen && String(buffer: out) == "before ", "\(length)")
        }
        #expect(!Self.sealed.withUnsafeBytes { cipher.open($0, nonce: Self.nonce, covering: [1], into: &out) })
    }

    @Test func randomOctetsDiffer() {
        #expect(Set((0..<50).map { _ in AESGCM.random(16) }).count == 50)
    }
}
