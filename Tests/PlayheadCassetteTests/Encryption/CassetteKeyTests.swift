import Testing

@testable import PlayheadCassette

struct CassetteKeyTests {
    @Test func hexadecimalDigitsAreTheKeyItself() throws {
        let lower = try CassetteKey(
            secret: Array("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f".utf8))
        let upper = try CassetteKey(
            secret: Array("000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F".utf8))
        #expect(lower == upper)
        // Computed with Python's hmac.
        let derived = lower.derived("file", Array(0x40..<0x50))
        #expect(hexadecimal(derived) == "d13efc5a7c373a879bbc5cee4af4751b85beca118e7baf80337dc43296e9a20c")
    }

    @Test func aPassphraseGoesThroughScrypt() throws {
        // Computed with Python's hashlib.scrypt and hmac.
        let key = try CassetteKey(secret: Array("correct horse battery".utf8))
        #expect(
            hexadecimal(key.derived("name", Array("x".utf8)))
                == "8a0f777f706aba5b58ed324a2fb5cb07275d9b704460bd8eb4be3a06e4e4b52b")
    }

    @Test func aShortSecretIsRefusedWithTheCommandThatMakesOne() throws {
        let error = #expect(throws: CassetteError.self) { try CassetteKey(secret: Array("too short".utf8)) }
        #expect(error?.code == .key)
        #expect(error?.message == "the key has 9 octets and needs 16 or more; make one with: openssl rand -hex 32")
    }

    @Test func purposesAndDataDoNotRunTogether() throws {
        let key = try CassetteKey(secret: [UInt8](repeating: 0x61, count: 64))
        #expect(key.derived("ab", Array("c".utf8)) != key.derived("a", Array("bc".utf8)))
    }

    @Test func noTextShowsTheKey() throws {
        let key = try CassetteKey(secret: [UInt8](repeating: 0x61, count: 64))
        #expect("\(key)" == "a key")
        #expect("\(CassetteLocation(folder: "f", name: try .validated("n"), key: key))".contains("a key"))
    }
}
