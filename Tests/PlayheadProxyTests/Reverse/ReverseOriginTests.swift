import Testing

@testable import PlayheadProxy

@Suite struct ReverseOriginTests {
    @Test(arguments: [
        ("https://api.example", "api.example", 443, "", "api.example"),
        ("http://API.example:8080/", "api.example", 8080, "", "api.example:8080"),
        ("https://[::1]:443/v2//", "::1", 443, "/v2", "[::1]"),
        ("http://127.0.0.1:443/a/b", "127.0.0.1", 443, "/a/b", "127.0.0.1:443"),
    ])
    func readsAURL(text: String, host: String, port: Int, base: String, authority: String) throws {
        let origin = try #require(ReverseOrigin(text))
        #expect(origin.host == host && origin.port == port && origin.basePath == base)
        #expect(origin.authority == authority)
        #expect(origin.description == "\(origin.scheme)://\(authority)\(base)")
    }

    @Test(arguments: [
        "", "api.example", "ftp://api.example", "wss://api.example", "https://", "https://u:p@api.example",
        "https://api.example/?q",
        "https://api.example/#f", "https://api.example:99999", "/path",
    ])
    func refusesWhatIsNoServer(text: String) {
        #expect(ReverseOrigin(text) == nil)
    }

    @Test(arguments: [("/", "/v2/"), ("/a?b", "/v2/a?b"), ("*", "/v2")])
    func putsThePathInFront(path: String, target: String) throws {
        #expect(try #require(ReverseOrigin("https://a.example/v2")).target(for: path) == target)
        #expect(try #require(ReverseOrigin("https://a.example")).target(for: path) == path)
    }
}
