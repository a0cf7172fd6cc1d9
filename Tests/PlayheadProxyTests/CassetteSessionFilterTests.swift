import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// What a session changes between the wire and the file: filters, named secrets, overrides.
struct CassetteSessionFilterTests {
    private let folder: Folder

    init() throws { self.folder = try Folder() }

    private func open(_ mode: RecordMode, _ change: (inout SessionOptions) throws -> Void) throws -> CassetteSession {
        var options = SessionOptions(
            location: CassetteLocation(folder: self.folder.path, name: try CassetteName.validated("one")), mode: mode,
            recordedWith: "test")
        try change(&options)
        return try CassetteSession.open(options, clock: { Timestamp(milliseconds: 1_000_000) })
    }

    private func request(_ path: String) throws -> IncomingRequest {
        try IncomingRequest(method: "GET", url: "https://example.com\(path)")
    }

    private func record(_ path: String, _ body: String, in session: CassetteSession) throws {
        session.record(
            Exchange(
                id: "", recordedAt: Timestamp(milliseconds: 1),
                request: RecordedRequest(method: "GET", url: "https://example.com\(path)"),
                outcome: .response(
                    RecordedResponse(
                        status: 200,
                        headers: HeaderList([("Content-Type", "application/json"), ("Content-Length", "1")]),
                        body: RecordedBody(.octets(ByteBuffer(string: body)))))), request: try self.request(path))
    }

    private func wire(_ path: String, _ session: CassetteSession) throws -> String? {
        guard case .wire(let wire) = session.answer(try self.request(path), wantsWireForm: true) else { return nil }
        return String(buffer: wire)
    }

    private var file: String {
        (try? String(contentsOfFile: self.folder.path + "/one.yaml", encoding: .utf8)) ?? ""
    }

    private func secrets(_ value: String) throws -> Redactor {
        Redactor.standard.hiding(try KnownSecrets(names: ["KEY"], environment: ["KEY": value]))
    }

    @Test func putsTheLiveValueBackAndRepairsTheLength() throws {
        let recorder = try self.open(.once) { $0.redactor = try self.secrets("recorded-key") }
        try self.record("/a?k=recorded-key", #"{"k":"recorded-key"}"#, in: recorder)
        // Over the bound of side files.
        let big = String(repeating: "y", count: 80_000)
        try self.record("/big", #"{"k":"recorded-key","x":"\#(big)"}"#, in: recorder)
        _ = try recorder.close()
        #expect(!self.file.contains("recorded-key") && self.file.contains("{{KEY}}"))
        let player = try self.open(.none) { $0.redactor = try self.secrets("live-key") }
        #expect(try self.wire("/a?k=recorded-key", player) == nil)
        let answer = try #require(try self.wire("/a?k=live-key", player))
        #expect(answer.hasSuffix(#"{"k":"live-key"}"#) && answer.contains("Content-Length: 16\r\n"), "\(answer)")
        #expect(try #require(try self.wire("/big", player)).contains(#"{"k":"live-key","x":"yyy"#))
    }

    @Test func aRewriteKeepsTheMarksOfOldExchanges() throws {
        let recorder = try self.open(.once) { $0.redactor = try self.secrets("recorded-key") }
        try self.record("/a?k=recorded-key", "{}", in: recorder)
        _ = try recorder.close()
        let more = try self.open(.newEpisodes) { $0.redactor = try self.secrets("live-key") }
        try self.record("/b", "{}", in: more)
        _ = try more.close()
        #expect(self.file.contains("/a?k={{KEY}}") && self.file.contains("/b"))
        #expect(!self.file.contains("live-key") && !self.file.contains("recorded-key"))
    }

    @Test func storedAndAskedRequestsMeetBehindTheFilters() throws {
        let filters: (inout SessionOptions) throws -> Void = {
            $0.filters.query = [.init("session", .replace("S")), .init("t", .remove)]
            $0.filters.responseBody = try BodyFilter([.init("at", .replace("0"))])
        }
        let recorder = try self.open(.once, filters)
        try self.record("/a?session=1&t=2", #"{"at":17}"#, in: recorder)
        _ = try recorder.close()
        #expect(self.file.contains("https://example.com/a?session=S\n"))
        let player = try self.open(.none, filters)
        #expect(player.hasCandidates(try self.request("/a?session=9")))
        #expect(try self.wire("/a?session=8&t=7", player)?.hasSuffix(#"{"at":0}"#) == true)
    }

    @Test func aHookLeavesOutAndHasTheLastWord() throws {
        let recorder = try self.open(.once) {
            $0.filters.beforeRecord = { exchange in
                guard !exchange.request.url.hasSuffix("/out") else { return nil }
                var exchange = exchange
                exchange.request.url += "?hooked"
                return exchange
            }
        }
        try self.record("/out", "{}", in: recorder)
        try self.record("/in", "{}", in: recorder)
        #expect(try recorder.close().recorded == 1)
        #expect(!self.file.contains("/out") && self.file.contains("/in?hooked"))
    }

    @Test func overridesAreSeenByTheClientOnly() throws {
        let recorder = try self.open(.once) { _ in }
        try self.record("/a", #"{"isPremium":false}"#, in: recorder)
        _ = try recorder.close()
        let before = self.file
        let player = try self.open(.once) { $0.overrides = try JSONOverrides(["isPremium=true"]) }
        #expect(try self.wire("/a", player)?.hasSuffix(#"{"isPremium":true}"#) == true)
        _ = try player.close()
        #expect(self.file == before)
    }

    @Test func templatesAreFilledInWhereTheCassetteAsksForThem() throws {
        let recorder = try self.open(.once) { _ in }
        try self.record("/a?who=x", #"{"hello":"{{request.query.who}}","at":{{now.unix}}}"#, in: recorder)
        let big = String(repeating: "y", count: 80_000)
        try self.record("/big?who=x", #"{"x":"\#(big)","hello":"{{request.query.who}}"}"#, in: recorder)
        _ = try recorder.close()
        let asked: (inout SessionOptions) throws -> Void = { $0.rules.ignoredQuery = ["who"] }
        let plain = try self.open(.none, asked)
        #expect(
            try self.wire("/a?who=Ann", plain)?.hasSuffix(#"{"hello":"{{request.query.who}}","at":{{now.unix}}}"#)
                == true)
        let player = try self.open(.none) {
            try asked(&$0)
            $0.templated = true
        }
        let answer = try #require(try self.wire("/a?who=Ann", player))
        #expect(
            answer.hasSuffix(#"{"hello":"Ann","at":1000}"#) && answer.contains("Content-Length: 25\r\n"), "\(answer)")
        #expect(player.playCount == 1)
        #expect(try #require(try self.wire("/big?who=Bob", player)).hasSuffix(#"","hello":"Bob"}"#))

        let marked = self.file.replacing(
            "exchanges:", with: "metadata:\n  templates: \"true\"\nexchanges:", maxReplacements: 1)
        try marked.write(toFile: self.folder.path + "/one.yaml", atomically: true, encoding: .utf8)
        #expect(try self.wire("/a?who=Eve", try self.open(.none, asked))?.contains(#""hello":"Eve""#) == true)
    }
}
