import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import Testing

@testable import PlayheadProxy

/// Sessions with a port of their own: how they change their mode, and how they end.
@Suite struct LeasedSessionTests {
    private let folder: Folder

    init() throws { self.folder = try Folder() }

    private func options(_ mode: RecordMode) throws -> SessionOptions {
        SessionOptions(
            location: CassetteLocation(folder: self.folder.path, name: try CassetteName.validated("one")), mode: mode,
            recordedWith: "test")
    }

    private func record(_ path: String, in session: CassetteSession) throws {
        let url = "https://a.example\(path)"
        session.record(
            Exchange(
                id: "", recordedAt: Timestamp(milliseconds: 1), request: RecordedRequest(method: "GET", url: url),
                outcome: .response(RecordedResponse(status: 200))),
            request: try IncomingRequest(method: "GET", url: url))
    }

    private func stored() throws -> Int {
        try CassetteReader.read(try self.options(.none).location)?.exchanges.count ?? 0
    }

    @Test func isNotOpenedAgainOnceItsEndHasBegun() throws {
        let leases = SessionLeases()
        let lease = try leases.open(try self.options(.newEpisodes)) { Timestamp(milliseconds: 1) }
        try self.record("/a", in: lease.session)
        #expect(try leases.close(lease).summary.recorded == 1)
        #expect(throws: LeaseError.self) { try lease.reopen(mode: .newEpisodes) }
        // Nobody holds the cassette's lock.
        _ = try CassetteSession.open(try self.options(.newEpisodes)) { Timestamp(milliseconds: 1) }.close()
        #expect(try self.stored() == 1)
    }

    /// Whichever comes first, in the end the cassette is whole and free.
    @Test func aChangeOfModeBesideTheEndLeavesNothingOpen() async throws {
        for round in 1...20 {
            let leases = SessionLeases()
            let lease = try leases.open(try self.options(.newEpisodes)) { Timestamp(milliseconds: 1) }
            try self.record("/\(round)", in: lease.session)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await onThread { _ = try? lease.reopen(mode: .newEpisodes) } }
                group.addTask { try await onThread { _ = try leases.close(lease) } }
                try await group.waitForAll()
            }
            #expect(lease.session.isClosed)
            #expect(try self.stored() == round)
        }
    }

    @Test func keepsWhatWasRecordedWhenItCannotBeOpenedAgain() throws {
        let leases = SessionLeases()
        let lease = try leases.open(try self.options(.newEpisodes)) { Timestamp(milliseconds: 1) }
        try self.record("/a", in: lease.session)
        // As when another process was quicker.
        _ = try lease.session.close()
        let other = try CassetteSession.open(try self.options(.newEpisodes)) { Timestamp(milliseconds: 1) }
        #expect(throws: CassetteError.self) { try lease.reopen(mode: .newEpisodes) }
        try self.record("/b", in: other)
        _ = try other.close()
        _ = try leases.close(lease)
        #expect(try self.stored() == 2)
    }
}
