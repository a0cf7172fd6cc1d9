import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Resolves a name off the event loop and lets only permitted addresses through.
///
/// The addresses that were checked are the ones connected to: there is no second look-up that could say
/// something else (DNS rebinding).
final class CheckedResolver: Resolver, Sendable {
    /// Threads of its own: a name server that does not answer holds one for many seconds, and recordings and side
    /// files must not wait for that.
    static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 8)
        threads.start()
        return threads
    }()

    private let v4: EventLoopPromise<[SocketAddress]>
    private let v6: EventLoopPromise<[SocketAddress]>
    private let guardian: AddressGuard
    private let lookUp: LookUp
    private let answered = Atomic(false)

    /// Finds the addresses of a host for a port; it may block.
    typealias LookUp = @Sendable (_ host: String, _ port: Int) -> Result<[SocketAddress], NameFailure>

    init(
        eventLoop: any EventLoop, guardian: AddressGuard,
        lookUp: @escaping LookUp = { CheckedResolver.lookUp(host: $0, port: $1) }
    ) {
        self.lookUp = lookUp
        self.v4 = eventLoop.makePromise()
        self.v6 = eventLoop.makePromise()
        self.guardian = guardian
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { self.v4.futureResult }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        if let literal = try? SocketAddress(ipAddress: host, port: port) {
            self.publish([literal])
        } else {
            Self.threads.submit { _ in self.resolve(host: host, port: port) }
        }
        return self.v6.futureResult
    }

    func cancelQueries() {}

    private func resolve(host: String, port: Int) {
        switch self.lookUp(host, port) {
        case .success(let found): self.publish(found)
        case .failure(let reason):
            let own = Self.loopback(host: host, port: port)
            if own.isEmpty { self.fail(.dns(host, reason)) } else { self.publish(own) }
        }
    }

    /// The address of `localhost` and of names under it where the system knows none; empty for other names.
    ///
    /// RFC 6761, 6.3: such a name is this machine, with or without a file that says so; curl and browsers hold it so.
    static func loopback(host: String, port: Int) -> [SocketAddress] {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        guard name == "localhost" || name.hasSuffix(".localhost") else { return [] }
        return ["127.0.0.1"].compactMap { try? SocketAddress(ipAddress: $0, port: port) }
    }

    /// The addresses of a name; may take many seconds unless only numeric forms are asked for.
    static func lookUp(
        host: String, port: Int, isNumeric: Bool = false
    ) -> Result<[SocketAddress], NameFailure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_flags = isNumeric ? AI_NUMERICHOST : 0
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &first)
        guard code == 0 else { return .failure(NameFailure(code: code)) }
        defer { freeaddrinfo(first) }
        var found: [SocketAddress] = []
        var next = first
        while let info = next {
            if let address = info.pointee.ai_addr {
                let raw = UnsafeRawPointer(address)
                switch info.pointee.ai_family {
                case AF_INET: found.append(SocketAddress(raw.loadUnaligned(as: sockaddr_in.self), host: host))
                case AF_INET6: found.append(SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self), host: host))
                default: break
                }
            }
            next = info.pointee.ai_next
        }
        return .success(found)
    }

    /// Whether the answer is there, good or bad.
    var isDone: Bool { self.answered.load(ordering: .relaxed) }

    private func publish(_ addresses: [SocketAddress]) {
        for address in addresses {
            if let refusal = self.guardian.refusal(of: address) { return self.fail(refusal) }
        }
        self.answered.store(true, ordering: .relaxed)
        self.v6.succeed(addresses.filter { $0.protocol == .inet6 })
        self.v4.succeed(addresses.filter { $0.protocol == .inet })
    }

    private func fail(_ failure: UpstreamFailure) {
        self.answered.store(true, ordering: .relaxed)
        self.v6.fail(failure)
        self.v4.fail(failure)
    }
}

/// Why a name has no address, in the resolver's own words.
struct NameFailure: Error, Sendable, Equatable {
    /// The name does not exist, as far as is known.
    static let unknown = NameFailure(code: EAI_NONAME)

    /// The code of `getaddrinfo`.
    var code: Int32

    /// Whether it says nothing about the name: no name server answered.
    var isTemporary: Bool { self.code == EAI_AGAIN }

    var text: String { String(cString: gai_strerror(self.code)) }
}
