import Testing

@testable import PlayheadProxy

@Suite struct RoutePatternTests {
    /// A slash that is escaped, and dots, stay inside their segment: nothing climbs out of a folder here.
    @Test func anEscapedSlashMakesNoBorder() throws {
        let path = try #require(RoutePath(target: "/cassettes/..%2f..%2Fetc?x=/y"))
        #expect(path.segments == ["cassettes", "../../etc"])
        #expect(RoutePattern("/cassettes/{name}").match(path)?["name"] == "../../etc")
        #expect(RoutePattern("/cassettes/../etc").match(path) == nil)
    }

    @Test func dotSegmentsAreNotResolved() throws {
        let path = try #require(RoutePath(target: "/healthz/../api"))
        #expect(RoutePattern("/api").match(path) == nil)
        #expect(path.segments == ["healthz", "..", "api"])
    }

    @Test(arguments: ["*", "http://host/", "/%", "/%4", "/%zz", "/%ff"])
    func refusesWhatIsNoPath(_ target: String) { #expect(RoutePath(target: target) == nil) }

    @Test func theRestTakesAllSegments() throws {
        let pattern = RoutePattern("/files/{path...}")
        #expect(pattern.match(try #require(RoutePath(target: "/files/a/b%20c")))?["path"] == "a/b c")
        #expect(pattern.match(try #require(RoutePath(target: "/files"))) == nil)
    }
}
