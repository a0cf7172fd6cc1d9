import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// Sessions that clients name: one per name, a bound, and their end when nobody uses them.
@Suite struct SessionRegistryTests {
    private let folder: Folder

    init() throws { self.folder = try Folder() }

    private func registry(limit: Int = 256, idle: TimeAmount? = nil) throws -> SessionRegistry {
        let options = SessionOptions(
            location: CassetteLocation(folder: self.folder.path, name: try CassetteName.validated("standard")),
            recordedWith: "test")
        let standard = try CassetteSession.open(options, clock: { Timestamp(milliseconds: 1000) })
        return SessionRegistry(standard: standard, options: options, limit: limit, idle: idle)
    }

    /// Opens a session and records into it; holds it no longer than that.
    private func record(_ name: String, in registry: SessionRegistry) throws {
        let session = try registry.open(try CassetteName.validated(name))
        let url = "https://a.example/\(name)"
        session.record(
            Exchange(
                id: "", recordedAt: Timestamp(milliseconds: 1), request: RecordedRequest(method: "GET", url: url),
                outcome: .response(RecordedResponse(status: 200, body: RecordedBody(.octets(ByteBuffer(string: name)))))
            ),
            request: try IncomingRequest(method: "GET", url: url))
    }

    private func text(_ name: String) -> String? {
        try? String(contentsOfFile: self.folder.path + "/\(name).yaml", encoding: .utf8)
    }

    @Test func oneNameIsOneSession() async throws {
        let registry = try self.registry()
        let name = try CassetteName.validated("a")
        let sessions = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<8 { group.addTask { try await onThread { ObjectIdentifier(try registry.open(name)) } } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(sessions.count == 1)
        #expect(registry.session(try CassetteName.validated("standard")) === registry.standard)
        #expect(registry.all.count == 2)
        _ = try registry.close()
    }

    /// What is shown of a named cassette begins where the standard one's path does.
    @Test(arguments: ["cassettes/standard.yaml", nil]) func pathsAreShownAlike(_ shown: String?) throws {
        let folder = self.folder.path + "/cassettes"
        var options = SessionOptions(
            location: CassetteLocation(folder: folder, name: try CassetteName.validated("standard")),
            displayPath: shown, recordedWith: "test")
        options.move(to: CassetteLocation(folder: folder, name: try CassetteName.validated("a/b")))
        #expect(options.displayPath == (shown == nil ? folder + "/a/b.yaml" : "cassettes/a/b.yaml"))
        #expect(options.location.file == folder + "/a/b.yaml")
    }

    @Test func refusesMoreThanTheBoundClearly() throws {
        let registry = try self.registry(limit: 2)
        for name in ["a", "b", "a", "standard"] { _ = try registry.open(try CassetteName.validated(name)) }
        let name = try CassetteName.validated("c")
        let error = #expect(throws: TooManySessions.self) { try registry.open(name) }
        let refusal = SessionRefusal(name, try #require(error))
        #expect(refusal.status == 503)
        #expect(
            refusal.reason
                == "The cassette c cannot be opened: 2 cassettes are open by name, the most that --max-sessions allows. "
                + "Raise it, or let idle ones be closed sooner with --session-idle.")
        #expect(SessionRefusal(name, CassetteError(.unreadable, "x", file: "f")).status == 400)
        _ = try registry.close()
    }

    @Test func anIdleSessionIsSavedAndOpensAgain() throws {
        let registry = try self.registry(limit: 1, idle: .seconds(60))
        try self.record("a", in: registry)
        let start = NIODeadline.now()
        #expect(!registry.hasIdle(now: start) && registry.closeIdle(now: start).isEmpty)
        #expect(registry.hasIdle(now: start + .seconds(61)))
        #expect(self.text("a") == nil)
        #expect(registry.closeIdle(now: start + .seconds(61)).map(\.description) == ["a"])
        #expect(self.text("a")?.contains("https://a.example/a") == true)
        #expect(registry.all.count == 1)
        // There is room again, and the one that was closed replays now.
        try self.record("b", in: registry)
        #expect(registry.closeIdle(now: .now() + .seconds(61)).count == 1)
        #expect(try registry.open(try CassetteName.validated("a")).isNew == false)
        let closed = try registry.close()
        #expect(closed.map(\.summary.recorded).reduce(0, +) == 2 && closed.count == 4)
    }

    @Test func aSessionInUseIsNotIdle() throws {
        let registry = try self.registry(idle: .seconds(60))
        let session = try registry.open(try CassetteName.validated("a"))
        let later = NIODeadline.now() + .seconds(1000)
        #expect(!registry.hasIdle(now: later) && registry.closeIdle(now: later).isEmpty)
        #expect(!session.isClosed)
        withExtendedLifetime(session) {}
        _ = try registry.close()
    }

    @Test func whatCannotBeSavedIsAFailureAtTheEnd() throws {
        let registry = try self.registry(idle: .seconds(60))
        try self.record("a", in: registry)
        // A folder stands where the file goes.
        try FileManager.default.createDirectory(atPath: self.folder.path + "/a.yaml", withIntermediateDirectories: true)
        #expect(registry.closeIdle(now: .now() + .seconds(61)).count == 1)
        let closed = try registry.close()
        #expect(closed.compactMap(\.summary.recordingFailure).count == 1)
    }
}
