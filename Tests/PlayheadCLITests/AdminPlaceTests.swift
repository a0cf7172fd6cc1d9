import Testing

@testable import PlayheadCLI

@Suite struct AdminPlaceTests {
    private static func url(_ admin: String?) throws -> String {
        try AdminPlace.url(
            Settings(flags: admin.map { [.admin: [$0]] } ?? [:], environment: [:], file: nil))
    }

    @Test(arguments: [
        (nil, "http://127.0.0.1:8081"), ("127.0.0.1:9000", "http://127.0.0.1:9000"),
        ("0.0.0.0:8081", "http://127.0.0.1:8081"), ("[::]:8081", "http://[::1]:8081"),
        ("9000", "http://127.0.0.1:9000"),
    ])
    func isWhereServeListens(_ admin: String?, _ url: String) throws { #expect(try Self.url(admin) == url) }

    @Test(arguments: ["off", "127.0.0.1:0", "nonsense:x"])
    func aPlaceThatCannotBeKnownIsAnError(_ admin: String) {
        #expect(throws: CommandFailure.self) { try Self.url(admin) }
    }
}
