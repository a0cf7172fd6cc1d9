import NIOCore
import PlayheadHTTP
import Testing

@testable import PlayheadCassette

struct FolderLayoutTests {
    private func names(_ requests: [RecordedRequest], key: CassetteKey? = nil) -> [String] {
        var names = ExchangeFileNames(key: key)
        return requests.map { names.name(for: $0) }
    }

    private func get(_ url: String, method: String = "GET", body: String = "") -> RecordedRequest {
        RecordedRequest(
            method: method, url: url, body: RecordedBody(body.isEmpty ? .none : .octets(ByteBuffer(string: body))))
    }

    @Test func aNameIsMethodHostPathAndAHash() throws {
        let name = try #require(self.names([self.get("https://api.example.com:8443/v1/users?id=4711#x")]).first)
        #expect(name.hasPrefix("GET-api.example.com-8443-v1-users_"))
        #expect(name.hasSuffix(".yaml"))
        #expect(name.utf8.count == "GET-api.example.com-8443-v1-users_".utf8.count + 16 + ".yaml".utf8.count)
        #expect(FolderLayout.isExchange(name))
    }

    @Test func theSameRequestHasTheSameNameWhateverIsAroundIt() {
        let (a, b) = (self.get("https://a.test/x"), self.get("https://a.test/y"))
        #expect(self.names([a, b]) == self.names([b, a]).reversed())
        #expect(self.names([a])[0] != self.names([self.get("https://a.test/x?q=1")])[0])
        #expect(self.names([a])[0] != self.names([self.get("https://a.test/x", body: "1")])[0])
    }

    @Test func equalRequestsGetNamesOfTheirOwn() {
        let again = self.names([UInt8](0..<5).map { _ in self.get("https://a.test/poll") })
        #expect(Set(again).count == 5)
        #expect(again == self.names([UInt8](0..<5).map { _ in self.get("https://a.test/poll") }))
    }

    @Test(arguments: [
        "https://a.test/../../etc/passwd", "https://a.test/%2e%2e%2f", "https://user:pass@a.test/x",
        "https://[::1]:8080/x", "https://a.test/" + String(repeating: "long/", count: 500), "https://a.test/ä/日本",
        "https://a.test/.hidden", "https://a.test",
    ])
    func noUrlLeadsOutOfTheFolder(url: String) throws {
        for method in ["GET", ".", "...", "a/b"] {
            let name = try #require(self.names([self.get(url, method: method)]).first)
            #expect(!name.contains("/") && !name.hasPrefix(".") && !name.contains("pass@"), "\(name)")
            #expect(name.utf8.count < 200 && name.utf8.allSatisfy { $0 < 0x80 && $0 > 0x20 }, "\(name)")
            #expect(!name.contains("user-pass"), "\(name)")
        }
    }

    @Test func namesOfEncryptedFilesSayNothing() throws {
        let key = try CassetteKey(secret: [UInt8](repeating: 0x61, count: 64))
        let name = try #require(self.names([self.get("https://a.test/x")], key: key).first)
        #expect(name.hasPrefix("exchange_") && !name.contains("a.test") && FolderLayout.isExchange(name))
        #expect(name != self.names([self.get("https://a.test/x")], key: nil)[0])
    }

    @Test func idsThatRiseNeedNoPosition() {
        #expect(FolderLayout.rises(nil, "1") == 1)
        #expect(FolderLayout.rises(1, "2") == 2)
        #expect(FolderLayout.rises(2, "2") == nil)
        #expect(FolderLayout.rises(nil, "01") == nil)
        #expect(FolderLayout.rises(nil, "a") == nil)
    }

    @Test func onlyYamlFilesThatAreNotHiddenAreExchanges() {
        for name in ["cassette.yaml", ".x.yaml", "README.md", "x.json", "x.yml"] {
            #expect(!FolderLayout.isExchange(name), "\(name)")
        }
    }
}
