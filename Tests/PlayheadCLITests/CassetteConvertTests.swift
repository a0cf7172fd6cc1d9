import ArgumentParser
import Foundation
import NIOCore
import PlayheadCassette
import PlayheadHTTP
import Testing

@testable import PlayheadCLI

/// `playhead cassette convert` between formats, layouts and encryption.
struct CassetteConvertTests {
    private let scratch: Scratch
    private let key: String

    init() throws {
        self.scratch = try Scratch()
        self.key = try self.scratch.write("playhead.key", String(repeating: "ab", count: 32) + "\n")
    }

    private func location(_ name: String, withKey: Bool = false) throws -> CassetteLocation {
        let key = withKey ? try EncryptionSettings(host: self.scratch.host()).key(self.key) : nil
        return CassetteLocation(folder: self.scratch.path, name: try CassetteName.validated(name), key: key)
    }

    private func recorded(_ id: String, _ body: String) -> Exchange {
        Exchange(
            id: id, recordedAt: Timestamp(milliseconds: 1),
            request: RecordedRequest(method: "GET", url: "https://a.test/\(id)"),
            outcome: .response(
                RecordedResponse(
                    status: 200, headers: HeaderList([("Content-Type", "text/plain")]),
                    body: RecordedBody(.octets(ByteBuffer(string: body))))))
    }

    @discardableResult
    private func save(_ name: String, withKey: Bool = false) throws -> Cassette {
        let location = try self.location(name, withKey: withKey)
        let exchanges = [
            self.recorded("1", "small"), self.recorded("2", String(repeating: "big ", count: 30_000)),
            self.recorded("3", "last"),
        ]
        let stored = try exchanges.map { try CassetteChange.stored($0, at: location) }
        let cassette = Cassette(recordedWith: "x", metadata: ["note": "kept"], matchers: ["method"], exchanges: stored)
        try CassetteWriter.save(cassette, to: location)
        return cassette
    }

    private func convert(_ arguments: String...) throws {
        try CassetteCommand.Convert.parse(["--cassettes", self.scratch.path] + arguments).run()
    }

    private func exitCode(_ arguments: String...) -> Int32 {
        do {
            try CassetteCommand.Convert.parse(["--cassettes", self.scratch.path] + arguments).run()
            return 0
        } catch { return CassetteCommand.exitCode(for: error).rawValue }
    }

    private func names() throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: self.scratch.path))
    }

    @Test func goesThroughAllFormatsAndBack() throws {
        let cassette = try self.save("a")
        let yaml = try Data(contentsOf: URL(filePath: self.location("a").file))
        try self.convert("a", "a.json")
        try self.convert("a.json", "a.plist")
        try self.convert("a.plist", "a.cassette")
        try self.convert("a.cassette", "back")
        for name in ["a.json", "a.plist", "a.cassette", "back"] {
            let location = try self.location(name)
            let found = try #require(try CassetteReader.read(location))
            #expect(found == cassette, "\(name)")
            #expect(try found.exchanges[1].response.octets(at: location).readableBytes == 120_000, "\(name)")
        }
        #expect(try Data(contentsOf: URL(filePath: self.location("back").file)) == yaml)
    }

    @Test func encryptsAndDecryptsInPlace() throws {
        let cassette = try self.save("a")
        try self.convert("a", "a", "--force", "--encrypt-with", self.key)
        #expect(try CassetteReader.isEncrypted(self.location("a")) == true)
        for name in try self.names() where name.hasPrefix("a") {
            let data = (try? Data(contentsOf: URL(filePath: self.scratch.path + "/" + name))) ?? Data()
            #expect(data.range(of: Data("big big".utf8)) == nil && data.range(of: Data("small".utf8)) == nil, "\(name)")
        }
        let sealed = try self.location("a", withKey: true)
        #expect(try CassetteReader.read(sealed) == cassette)
        #expect(try cassette.exchanges[1].response.octets(at: sealed).readableBytes == 120_000)
        #expect(self.exitCode("a", "b") == 65, "without the key")
        try self.convert("a", "b", "--decrypt", "--encrypt-with", self.key)
        #expect(try CassetteReader.read(self.location("b")) == cassette)
        try self.convert("a", "c", "--decrypt", "--source-key", self.key)
        #expect(try CassetteReader.read(self.location("c")) == cassette)
    }

    @Test func takesInWhatARunLeftInTheJournal() throws {
        try self.save("a")
        let journal = try CassetteJournal.open(self.location("a"))
        try journal.append(self.recorded("9", "late"))
        try self.convert("a", "a", "--force", "--encrypt-with", self.key)
        #expect(
            try CassetteReader.read(self.location("a", withKey: true))?.exchanges.map(\.id) == ["1", "2", "3", "9"])
        #expect(try !self.names().contains("a.journal"))
    }

    @Test func replacesNothingUnlessAsked() throws {
        try self.save("a")
        try self.save("b")
        #expect(self.exitCode("a", "b") == 73)
        #expect(self.exitCode("a", "b", "--force") == 0)
        #expect(self.exitCode("gone", "c") == 66)
        #expect(self.exitCode("a", "b/../c") == 64)
        try self.convert("a", "d.cassette")
        #expect(self.exitCode("a", "d.cassette") == 73)
        #expect(self.exitCode("a", "d.cassette", "--force") == 0)
    }

    @Test func aNameWithoutExtensionFindsWhatIsThere() throws {
        let cassette = try self.save("only.cassette")
        try self.convert("only", "copy.json")
        #expect(try CassetteReader.read(self.location("copy.json")) == cassette)
        try self.convert("copy", "again")
        #expect(try CassetteReader.read(self.location("again")) == cassette)
    }
}

extension Exchange {
    fileprivate var response: RecordedBody {
        guard case .response(let response) = self.outcome else { return RecordedBody() }
        return response.body
    }
}
