import Foundation
import Logging
import NIOCore
import PlayheadCA
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import PlayheadProxy
import Testing

@testable import PlayheadAdmin

/// A proxy with an admin API, on free ports, with a cassette in a folder of its own.
final class TestAdmin: Sendable {
    static let secret = "0123456789abcdef0123456789abcdef"

    let folder: String
    let server: ProxyServer
    let sessions: SessionRegistry
    let service: AdminService
    let context: AdminContext

    /// Starts both, runs `body`, stops both.
    ///
    /// - Parameter cassette: the text of the default cassette, if it is to be there.
    static func run(
        _ mode: RecordMode = .once, cassette: String? = nil, log: ExchangeLog = ExchangeLog(),
        _ body: (TestAdmin) async throws -> Void
    ) async throws {
        let admin = try await TestAdmin(mode, cassette, log)
        var failure: (any Error)?
        do { try await body(admin) } catch { failure = error }
        await admin.server.shutDown(grace: 1)
        _ = try? admin.sessions.close()
        try? FileManager.default.removeItem(atPath: admin.folder)
        if let failure { throw failure }
    }

    private init(_ mode: RecordMode, _ cassette: String?, _ log: ExchangeLog) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("playhead-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        self.folder = folder
        try cassette?.write(toFile: folder + "/default.yaml", atomically: true, encoding: .utf8)
        var options = SessionOptions(
            location: CassetteLocation(folder: folder, name: try CassetteName.validated("default")), mode: mode,
            recordedWith: "playhead test")
        options.log = log
        let clock = { @Sendable in Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
        let session = try CassetteSession.open(options, clock: clock)
        let authority = try CertificateAuthority.ephemeral(
            userAtHost: "test@host", now: Int64(Date().timeIntervalSince1970))
        self.sessions = SessionRegistry(standard: session, options: options)
        self.server = try await ProxyServer.start(
            ProxyServer.Configuration(listen: [ListenAddress(host: "127.0.0.1", port: 0)], loopCount: 1),
            authority: authority, sessions: self.sessions, logger: Logger(label: "test"))
        self.context = AdminContext(
            server: self.server, sessions: self.sessions, certificatePEM: authority.certificatePEM,
            version: "1.2.3", token: try #require(AdminToken(Self.secret)),
            listCassettes: { [CassetteLocation(folder: folder, name: try CassetteName.validated("listed"))] },
            clock: clock)
        self.service = AdminService(self.context)
    }

    /// Asks the service without sockets.
    func ask(_ method: String, _ target: String, _ json: String? = nil) async -> AdminResponse {
        var request = AdminRequest(method: method, target: target)
        if let json {
            request.headers.append(name: "Content-Type", value: "application/json")
            request.body = ByteBuffer(string: json)
        }
        return await self.service.answer(request)
    }

    /// Asks and reads the answer as a JSON object.
    func object(_ method: String, _ target: String, _ json: String? = nil, status: Int = 200) async throws -> [String:
        Any]
    {
        let response = await self.ask(method, target, json)
        #expect(response.status == status, "\(method) \(target): \(String(buffer: response.body))")
        let value = try JSONSerialization.jsonObject(with: Data(response.body.readableBytesView))
        return try #require(value as? [String: Any])
    }
}
