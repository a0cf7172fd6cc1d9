import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// What a session says of itself, and starting it over.
struct CassetteSessionStatusTests {
    private let folder: Folder

    init() throws { self.folder = try Folder() }

    private func open(
        _ mode: RecordMode, _ change: (inout SessionOptions) -> Void = { _ in }
    ) throws -> CassetteSession {
        var options = SessionOptions(
            location: CassetteLocation(folder: self.folder.path, name: try CassetteName.validated("one")), mode: mode,
            recordedWith: "test")
        change(&options)
        return try CassetteSession.open(options, clock: { Timestamp(milliseconds: 1_000_000) })
    }

    private func request(_ path: String) throws -> IncomingRequest {
        try IncomingRequest(method: "GET", url: "https://example.com\(path)")
    }

    private func record(_ paths: String..., in session: CassetteSession) throws {
        for path in paths {
            session.record(
                Exchange(
                    id: "", recordedAt: Timestamp(milliseconds: 1),
                    request: RecordedRequest(method: "GET", url: "https://example.com\(path)"),
                    outcome: .response(
                        RecordedResponse(status: 200, body: RecordedBody(.octets(ByteBuffer(string: path)))))),
                request: try self.request(path))
        }
    }

    private func isHit(_ path: String, _ session: CassetteSession) throws -> Bool {
        if case .miss = session.answer(try self.request(path), wantsWireForm: true) { false } else { true }
    }

    @Test func aNewCassetteMayBeWrittenAndAnOldOneNot() throws {
        let first = try self.open(.once)
        #expect(first.isNew && !first.isWriteProtected && first.exchanges.isEmpty && first.allPlayed)
        try self.record("/a", in: first)
        #expect(!first.isClosed)
        _ = try first.close()
        #expect(first.isClosed)
        let second = try self.open(.once)
        #expect(!second.isNew && second.isWriteProtected && second.exchanges.count == 1)
        #expect(try self.open(.none).isWriteProtected)
        let more = try self.open(.newEpisodes)
        #expect(!more.isNew && !more.isWriteProtected)
        _ = try more.close()
    }

    @Test func countsWhatWasPlayedUntilItIsRewound() throws {
        let recorder = try self.open(.once)
        try self.record("/a", "/b", in: recorder)
        _ = try recorder.close()
        let session = try self.open(.none)
        #expect(try self.isHit("/a", session))
        #expect(session.playCounts == [1, 0] && session.playCount == 1 && !session.allPlayed)
        #expect(try self.isHit("/b", session))
        #expect(session.allPlayed)
        #expect(try !self.isHit("/a", session))
        session.rewind()
        #expect(session.playCount == 0 && !session.allPlayed)
        #expect(try self.isHit("/a", session))
        #expect(session.playCounts == [1, 0])
        // Played before the rewind is not unused.
        #expect(try session.close().unused == 0)
    }

    @Test func aRewindDropsNothingThatWasPlayedBefore() throws {
        let recorder = try self.open(.once)
        try self.record("/a", "/b", in: recorder)
        _ = try recorder.close()
        let session = try self.open(.newEpisodes) { $0.dropsUnused = true }
        #expect(try self.isHit("/a", session))
        session.rewind()
        _ = try session.close()
        #expect(try self.open(.none).exchanges.map(\.request.url) == ["https://example.com/a"])
    }

    @Test(arguments: [(false, false), (true, false), (true, true)])
    func saysHowManyRecordingsItDropped(drops: Bool, discards: Bool) throws {
        let recorder = try self.open(.once)
        try self.record("/a", "/b", "/c", in: recorder)
        _ = try recorder.close()
        let session = try self.open(.newEpisodes) { $0.dropsUnused = drops }
        #expect(try self.isHit("/a", session))
        let closed = try session.closed(discards: discards)
        #expect(closed.summary.dropped == (drops && !discards ? 2 : 0))
        #expect(try self.open(.none).exchanges.count == 3 - closed.summary.dropped)
    }

    @Test func anAnswerFromBeforeTheRewindCountsForThen() throws {
        let recorder = try self.open(.once)
        try self.record("/a", in: recorder)
        _ = try recorder.close()
        let session = try self.open(.none)
        guard case .exchange(_, let done) = session.answer(try self.request("/a"), wantsWireForm: false) else {
            return #expect(Bool(false), "no hit")
        }
        session.rewind()
        guard case .exchange(_, let left) = session.answer(try self.request("/a"), wantsWireForm: false) else {
            return #expect(Bool(false), "no hit")
        }
        session.completed(done)
        #expect(session.playCount == 0)
        session.giveBack(left)
        // Given back once, it can be taken once.
        #expect(try self.isHit("/a", session))
        #expect(try !self.isHit("/a", session))
    }
}
