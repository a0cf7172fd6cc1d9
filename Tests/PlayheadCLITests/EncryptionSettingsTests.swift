import PlayheadCassette
import Testing

@testable import PlayheadCLI

struct EncryptionSettingsTests {
    private static let digits = String(repeating: "0f", count: 32)

    @Test func readsAKeyFromAFileAVariableOrTheDefaultVariable() throws {
        let scratch = try Scratch()
        try scratch.write("one.key", Self.digits)
        try scratch.write("two.key", Self.digits + "\r\n")
        let settings = EncryptionSettings(
            host: scratch.host(["PLAYHEAD_ENCRYPTION_KEY": Self.digits, "OTHER": Self.digits + "\n"]))
        let key = try CassetteKey(secret: Array(Self.digits.utf8))
        for text in ["one.key", "two.key", "./one.key", scratch.path + "/one.key", "env", "env:OTHER"] {
            #expect(try settings.key(text) == key, "\(text)")
        }
    }

    @Test func whatIsMissingIsNamed() throws {
        let scratch = try Scratch()
        let settings = EncryptionSettings(host: scratch.host(["EMPTY": ""]))
        let file = try #require(failure { _ = try settings.key("gone.key") })
        #expect(file.code == .inputMissing)
        #expect(file.message.contains("\(scratch.path)/gone.key cannot be read"))
        #expect(file.message.hasSuffix("Make one with: openssl rand -hex 32 > gone.key"))
        for (text, name) in [("env", "PLAYHEAD_ENCRYPTION_KEY"), ("env:EMPTY", "EMPTY"), ("env:NONE", "NONE")] {
            let variable = try #require(failure { _ = try settings.key(text) })
            #expect(variable.code == .badConfiguration)
            #expect(variable.message.contains("the variable \(name) of --encrypt-with \(text) is not set"))
        }
    }

    @Test func aShortKeyIsRefusedWithoutShowingIt() throws {
        let scratch = try Scratch()
        try scratch.write("short.key", "hush\n")
        let refusal = try #require(failure { _ = try EncryptionSettings(host: scratch.host()).key("short.key") })
        #expect(refusal.code == .badConfiguration)
        #expect(refusal.message.contains("short.key: the key has 4 octets and needs 16 or more"))
        #expect(!refusal.message.contains("hush"))
    }

    @Test func thePathInPlayheadYamlIsBesideIt() throws {
        let scratch = try Scratch()
        _ = try scratch.folder("deep")
        let yaml = try scratch.write("playhead.yaml", "encrypt_with: keys/a.key\n")
        #expect(try ConfigurationFile(path: yaml).entries[.encryptWith]?.values == [scratch.path + "/keys/a.key"])
        let variable = try scratch.write("other.yaml", "encrypt_with: env:NAME\n")
        #expect(try ConfigurationFile(path: variable).entries[.encryptWith]?.values == ["env:NAME"])
    }
}
