import Foundation
import Logging
import NIOCore
import PlayheadCA
import PlayheadCassette
import PlayheadEngine
import Synchronization
import Testing

@testable import PlayheadProxy

/// A proxy on a free port with a CA of its own and a cassette in a folder of its own.
final class TestProxy: Sendable {
    let server: ProxyServer
    let session: CassetteSession
    let authority: CertificateAuthority
    let port: Int
    private let clock = TestClock()

    /// Starts a proxy, runs `body` against it, stops it.
    @discardableResult
    static func run(
        _ mode: RecordMode = .passthrough, in folder: Folder? = nil, repeats: Repeats = .none,
        settings: ProxySettings = ProxySettings(), upstreamRoots: [String] = [], reRecordAfter: Int64? = nil,
        options change: (inout SessionOptions) throws -> Void = { _ in },
        _ body: @escaping @Sendable (TestProxy) throws -> Void
    ) async throws -> RunSummary {
        let folder = try folder ?? Folder()
        let location = CassetteLocation(folder: folder.path, name: try CassetteName.validated("test"))
        var options = SessionOptions(
            location: location, mode: mode, repeats: repeats, recordedWith: "playhead test",
            reRecordAfter: reRecordAfter)
        try change(&options)
        let proxy = try await TestProxy(options, settings, upstreamRoots)
        var failure: (any Error)?
        do { try await onThread { try body(proxy) } } catch { failure = error }
        await proxy.server.shutDown(grace: 1)
        let summary = try? proxy.session.close()
        if let failure { throw failure }
        return try #require(summary)
    }

    private init(_ options: SessionOptions, _ settings: ProxySettings, _ upstreamRoots: [String]) async throws {
        self.session = try CassetteSession.open(
            options, clock: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) })
        self.authority = try CertificateAuthority.ephemeral(
            userAtHost: "test@host", now: Int64(Date().timeIntervalSince1970))
        var configuration = ProxyServer.Configuration(
            listen: [ListenAddress(host: "127.0.0.1", port: 0)], settings: settings, upstreamRoots: upstreamRoots,
            loopCount: 1)
        configuration.clock = { [clock] in clock.now }
        self.server = try await ProxyServer.start(
            configuration, authority: self.authority,
            sessions: SessionRegistry(standard: self.session, options: options), logger: Logger(label: "test"))
        self.port = try #require(self.server.addresses.first?.port)
    }

    func client(receiveBuffer: Int32? = nil, timeout: Double = 60) throws -> Wire {
        try Wire(port: self.port, receiveBuffer: receiveBuffer, timeout: timeout)
    }

    /// Lets time pass for limits in time, which are looked at once more before this returns.
    func passTime(_ time: TimeAmount) throws {
        self.clock.pass(time)
        for loop in self.server.loops.values { try loop.eventLoop.submit { loop.value.sweep() }.wait() }
    }

    /// Waits until the loop is done with what it is at.
    func finishTurn() throws {
        for loop in self.server.loops.values { try loop.eventLoop.submit {}.wait() }
    }

    /// How many connections of clients are open, as the loop sees them.
    func openConnections() throws -> Int {
        try self.server.loops.values.reduce(0) { count, loop in
            try count + loop.eventLoop.submit { loop.value.connectionCount }.wait()
        }
    }

    /// A cleartext tunnel to an authority.
    func tunnel(to authority: String) throws -> Wire {
        let wire = try self.client()
        try wire.send("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n")
        let head = try wire.read(until: "\r\n\r\n")
        guard head.hasPrefix("HTTP/1.1 200 ") else { throw WireError(description: head) }
        return wire
    }

    /// What is in the cassette's file and journal now.
    static func recorded(in folder: Folder) throws -> [Exchange] {
        let location = CassetteLocation(folder: folder.path, name: try CassetteName.validated("test"))
        return try CassetteReader.read(location)?.exchanges ?? []
    }
}

/// A clock that goes with the system's, and ahead of it by what a test lets pass.
final class TestClock: Sendable {
    private let ahead = Mutex(TimeAmount.zero)

    var now: NIODeadline { .now() + self.ahead.withLock { $0 } }

    func pass(_ time: TimeAmount) { self.ahead.withLock { $0 = $0 + time } }
}

/// A folder of a test's own, removed with the object.
final class Folder: Sendable {
    let path: String

    init() throws {
        self.path = FileManager.default.temporaryDirectory.appendingPathComponent("playhead-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }
}
