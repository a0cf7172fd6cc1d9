import PlayheadAdmin
import PlayheadCA
import PlayheadCassette
import PlayheadProxy

/// The admin API of one `serve`: its settings, its token and its listener.
struct AdminListener {
    let server: AdminServer
    /// Where the token is; nil when the user gave it in a variable.
    let tokenFile: String?

    /// Its URL on this machine.
    var url: String { "http://\(self.server.address.reachable.description)" }

    /// Starts the API as the settings ask; nil with `--admin off`.
    ///
    /// - Throws: `ProxyError` when the address that was asked for is taken. The default one gives way to a free port:
    ///   nobody asked for it, and a second `serve` beside the first is no mistake.
    static func start(
        _ setup: SessionSetup, proxy: ProxyServer, sessions: SessionRegistry, authority: CertificateAuthority
    ) async throws -> AdminListener? {
        let settings = setup.settings
        let asked = settings.text(.admin)
        if asked == "off" { return nil }
        var address = try settings.parsed(
            .admin, default: ListenAddress(host: "127.0.0.1", port: 8081), expected: "HOST:PORT or off",
            ValueParsers.listenAddress)
        let token = try TokenFile.load(setup)
        let folder = sessions.standard.location.folder
        let context = AdminContext(
            server: proxy, sessions: sessions, certificatePEM: authority.certificatePEM, version: Version.number,
            token: token.token,
            hosts: try settings.parsedList(.adminHost, expected: "host names without a port", ValueParsers.hostName),
            opensMetrics: try settings.parsed(.metrics, default: false, expected: "token or open") {
                ["token": false, "open": true][$0]
            },
            listCassettes: { try CassetteFolder.locations(in: folder) }, clock: setup.host.now)
        let server: AdminServer
        do {
            server = try await AdminServer.start(address, context)
        } catch let error as ProxyError where asked == nil && error.code == .addressInUse {
            address.port = 0
            server = try await AdminServer.start(address, context)
        }
        do {
            return AdminListener(server: server, tokenFile: try token.publish(port: server.address.port))
        } catch {
            await server.shutDown()
            throw error
        }
    }

    /// Ends the API; a token file that was made for it goes away.
    func stop() async {
        await self.server.shutDown()
        if let file = self.tokenFile { TokenFile.removeOwn(file) }
    }
}
