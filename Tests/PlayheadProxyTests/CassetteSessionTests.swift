import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

struct CassetteSessionTests {
    private let folder: Folder

    init() throws { self.folder = try Folder() }

    private func options(_ mode: RecordMode) throws -> SessionOptions {
        SessionOptions(
            location: CassetteLocation(folder: self.folder.path, name: try CassetteName.validated("one")), mode: mode,
            recordedWith: "test")
    }

    private func open(_ mode: RecordMode) throws -> CassetteSession {
        try CassetteSession.open(try self.options(mode), clock: { Timestamp(milliseconds: 1_000_000) })
    }

    private func request(_ path: String) -> IncomingRequest {
        IncomingRequest(
            method: "GET", scheme: "https", host: "example.com", port: 443, pathAndQuery: path, version: .http1_1,
            headers: HeaderList(), body: .none)
    }

    private func record(_ path: String, in session: CassetteSession) {
        let exchange = Exchange(
            id: "", recordedAt: Timestamp(milliseconds: 1),
            request: RecordedRequest(method: "GET", url: "https://example.com\(path)"),
            outcome: .response(RecordedResponse(status: 200, body: RecordedBody(.octets(ByteBuffer(string: path))))))
        session.record(exchange, request: self.request(path))
    }

    private func isHit(_ path: String, _ session: CassetteSession) -> Bool {
        if case .miss = session.answer(self.request(path), wantsWireForm: true) { false } else { true }
    }

    @Test func replaysInManySessionsAtOnce() throws {
        let recorder = try self.open(.once)
        self.record("/a", in: recorder)
        _ = try recorder.close()
        let first = try self.open(.once)
        let second = try self.open(.once)
        let third = try self.open(.none)
        for session in [first, second, third] { #expect(self.isHit("/a", session)) }
    }

    @Test func rewriteDoesNotReadTheOldExchanges() throws {
        let recorder = try self.open(.once)
        self.record("/old", in: recorder)
        _ = try recorder.close()
        let file = try self.options(.once).location.file
        let whole = try String(contentsOfFile: file, encoding: .utf8)
        // Nobody could read this exchange; to rewrite the cassette nobody has to.
        try whole.replacing("status: 200", with: "status: [").write(toFile: file, atomically: false, encoding: .utf8)
        #expect(throws: CassetteError.self) { try self.open(.all) }
        let rewriter = try self.open(.rewrite)
        #expect(!self.isHit("/old", rewriter))
        self.record("/new", in: rewriter)
        _ = try rewriter.close()
        let later = try self.open(.none)
        #expect(self.isHit("/new", later))
        #expect(!self.isHit("/old", later))
    }

    @Test func rewriteKeepsTheOldCassetteWhenNothingIsRecorded() throws {
        let recorder = try self.open(.once)
        self.record("/old", in: recorder)
        _ = try recorder.close()
        _ = try self.open(.rewrite).close()
        #expect(self.isHit("/old", try self.open(.none)))
    }

    @Test func closesOnce() throws {
        let first = try self.open(.newEpisodes)
        self.record("/a", in: first)
        let summary = try first.close()
        let second = try self.open(.newEpisodes)
        self.record("/b", in: second)
        _ = try second.close()
        // Nothing is written again, least of all without what came since.
        #expect(try first.close() == summary)
        let later = try self.open(.none)
        for path in ["/a", "/b"] { #expect(self.isHit(path, later), "\(path) is lost") }
    }

    @Test func keepsABoundedNumberOfWarnings() throws {
        let session = try self.open(.none)
        for number in 0..<10_000 { session.warn("a name of the client's choice: \(number)") }
        #expect(session.summary.warnings.count == RunSummary.warningLimit)
    }

    /// Whoever corrects the options after a failure has to know that the recording answers.
    @Test func saysThatFailuresAreRecorded() throws {
        let failure = RecordedFailure(kind: .tls, message: "The certificate was rejected.")
        let recorder = try self.open(.once)
        for path in ["/a", "/b"] {
            recorder.record(
                Exchange(
                    id: "", recordedAt: Timestamp(milliseconds: 1),
                    request: RecordedRequest(method: "GET", url: "https://example.com\(path)?token=hush-hush"),
                    outcome: .failure(failure)), request: self.request(path))
        }
        let file = try self.options(.once).location.file
        let advice = "To ask the server again: playhead cassette prune \(file) --failures, then --mode new_episodes"
        let url = "GET https://example.com/a?token="
        let recorded = try #require(try recorder.close().warnings.first)
        #expect(
            recorded.hasPrefix("2 requests failed and are recorded so, for later runs to replay; the first: \(url)"))
        #expect(recorded.hasSuffix(": The certificate was rejected. \(advice)"))
        #expect(!recorded.contains("hush"))
    }

    @Test func theCommandThatItAdvisesCanBePastedIntoAShell() throws {
        var options = try self.options(.once)
        options.displayPath = "my cassettes/Ann's.yaml"
        let recorder = try CassetteSession.open(options, clock: { Timestamp(milliseconds: 1_000_000) })
        recorder.record(
            Exchange(
                id: "", recordedAt: Timestamp(milliseconds: 1),
                request: RecordedRequest(method: "GET", url: "https://example.com/a"),
                outcome: .failure(RecordedFailure(kind: .tls, message: "The certificate was rejected."))),
            request: self.request("/a"))
        let warning = try #require(try recorder.close().warnings.first)
        let command = #"playhead cassette prune 'my cassettes/Ann'\''s.yaml' --failures"#
        #expect(warning.contains(": \(command), then --mode "), "\(warning)")
    }

    @Test func refusesASecondRecorder() throws {
        let first = try self.open(.newEpisodes)
        #expect(throws: CassetteError.self) { try self.open(.newEpisodes) }
        _ = try first.close()
        _ = try self.open(.newEpisodes).close()
    }

    @Test func leavesTheJournalOfALivingRecorderAlone() throws {
        let recorder = try self.open(.once)
        self.record("/a", in: recorder)
        let reader = try self.open(.none)
        #expect(!self.isHit("/a", reader))
        #expect(reader.notices.count == 1)
        self.record("/b", in: recorder)
        _ = try recorder.close()
        let later = try self.open(.none)
        #expect(self.isHit("/a", later))
        #expect(self.isHit("/b", later))
    }

    @Test func replaysTheJournalOfADeadRecorder() throws {
        let journal = try CassetteJournal.open(try self.options(.once).location)
        try journal.append(
            Exchange(
                id: "1", recordedAt: Timestamp(milliseconds: 1),
                request: RecordedRequest(method: "GET", url: "https://example.com/a"),
                outcome: .response(RecordedResponse(status: 200))))
        #expect(self.isHit("/a", try self.open(.none)))
        // Now it becomes part of the cassette, which therefore is only replayed.
        let once = try self.open(.once)
        #expect(!once.plan.records)
        #expect(self.isHit("/a", once))
        #expect(!FileManager.default.fileExists(atPath: try self.options(.once).location.journal))
    }

    @Test func readsNoCassetteToPassThrough() throws {
        try Data("no cassette".utf8).write(to: URL(fileURLWithPath: self.folder.path + "/one.yaml"))
        #expect(throws: CassetteError.self) { try self.open(.none) }
        let session = try self.open(.passthrough)
        #expect(!session.plan.replays && !session.plan.records && session.plan.relays)
        _ = try session.close()
        #expect(try String(contentsOfFile: self.folder.path + "/one.yaml", encoding: .utf8) == "no cassette")
    }
}
