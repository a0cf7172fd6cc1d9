import NIOCore
import NIOPosix
import Testing

@testable import PlayheadProxy

/// Names with addresses of both families: whichever answers first is used, and each of them is checked before.
@Suite struct CheckedResolverTests {
    /// Connects to a port under a name that has these addresses; says over which one it did.
    private func connect(
        _ addresses: [String], port: Int, refusesMetadata: Bool = false
    ) async throws -> String? {
        let found = try addresses.map { try SocketAddress(ipAddress: $0, port: port) }
        return try await self.connect("both.example", port: port, refusesMetadata: refusesMetadata) { _, _ in
            .success(found)
        }
    }

    /// Connects to a port of a name that the system does not know; says over which address it did.
    private func connectUnresolved(_ name: String, port: Int) async throws -> String? {
        try await self.connect(name, port: port, refusesMetadata: true) { _, _ in .failure(.unknown) }
    }

    private func connect(
        _ name: String, port: Int, refusesMetadata: Bool, lookUp: @escaping CheckedResolver.LookUp
    ) async throws -> String? {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let resolver = CheckedResolver(
            eventLoop: loop, guardian: AddressGuard(refusesMetadata: refusesMetadata), lookUp: lookUp)
        // On the loop: a task that goes on after a minute, on a busy machine, finds that the origin has given up.
        return try await ClientBootstrap(group: loop).resolver(resolver).connectTimeout(.seconds(20))
            .connect(host: name, port: port)
            .flatMap { channel in
                let address = channel.remoteAddress?.ipAddress
                return channel.close().map { address }
            }.get()
    }

    @Test(arguments: [["::1", "127.0.0.1"], ["127.0.0.1", "::1"], ["2001:db8::1", "127.0.0.1"], ["127.0.0.1"]])
    func takesTheFamilyThatAnswers(addresses: [String]) async throws {
        // It listens on IPv4 alone; the documentation address leads nowhere.
        let origin = try Origin.answering("")
        defer { origin.stop() }
        #expect(try await self.connect(addresses, port: origin.port) == "127.0.0.1")
    }

    /// A slim container has no /etc/hosts, and few systems know `app.localhost`.
    @Test(arguments: ["localhost", "LocalHost.", "app.localhost"])
    func namesOfThisMachineNeedNoNameServer(name: String) async throws {
        let origin = try Origin.answering("")
        defer { origin.stop() }
        #expect(try await self.connectUnresolved(name, port: origin.port) == "127.0.0.1")
    }

    @Test(arguments: ["both.example", "localhost.example", "notlocalhost"])
    func otherNamesNeedOne(name: String) async throws {
        let origin = try Origin.answering("")
        defer { origin.stop() }
        do {
            _ = try await self.connectUnresolved(name, port: origin.port)
            Issue.record("it connected")
        } catch {
            let target = UpstreamTarget(isSecure: false, host: name, port: origin.port)
            #expect(UpstreamPool.failure(from: error, target: target).proxyError == "dns_error")
        }
        #expect(origin.connections == 0)
    }

    @Test func oneForbiddenAddressForbidsTheName() async throws {
        let origin = try Origin.answering("")
        defer { origin.stop() }
        do {
            _ = try await self.connect(["127.0.0.1", "fd00:ec2::254"], port: origin.port, refusesMetadata: true)
            Issue.record("it connected")
        } catch {
            let target = UpstreamTarget(isSecure: false, host: "both.example", port: origin.port)
            #expect(UpstreamPool.failure(from: error, target: target).message.contains("--allow-metadata"))
        }
        #expect(origin.connections == 0)
    }

    @Test func saysWhenNothingListens() async throws {
        let origin = try Origin.answering("")
        let port = origin.port
        origin.stop()
        do {
            _ = try await self.connect(["127.0.0.1"], port: port)
            Issue.record("it connected")
        } catch {
            let target = UpstreamTarget(isSecure: false, host: "both.example", port: port)
            #expect(UpstreamPool.failure(from: error, target: target).proxyError == "connection_refused")
        }
    }
}
