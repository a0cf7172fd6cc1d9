import NIOCore
import NIOPosix
import Synchronization

/// Knows which addresses the proxy never connects to: its own listeners, and cloud metadata where that is asked.
final class AddressGuard: Sendable {
    private struct State {
        var ports: Set<Int> = []
    }

    private let state = Mutex(State())
    private let refusesMetadata: Bool

    init(refusesMetadata: Bool) { self.refusesMetadata = refusesMetadata }

    /// Remembers a listener of ours; from now on no request reaches it under any name.
    func addListener(_ address: SocketAddress) {
        guard let port = address.port else { return }
        self.state.withLock { _ = $0.ports.insert(port) }
    }

    /// Forgets a listener that was closed: the port may be another program's now.
    func removeListener(port: Int) { self.state.withLock { _ = $0.ports.remove(port) } }

    /// Whether a listener of ours has this port.
    func isOwnPort(_ port: Int) -> Bool { self.state.withLock { $0.ports.contains(port) } }

    /// The reason why a name is not asked for, whatever it resolves to, or nil.
    func refusal(ofName name: String) -> UpstreamFailure? {
        self.refusesMetadata && Self.metadataNames.contains(name) ? .metadata(name) : nil
    }

    /// Asked anew each time, since interfaces come and go; only a port of ours leads here.
    private static func isOfAnInterface(_ ip: String) -> Bool {
        let devices = (try? System.enumerateDevices()) ?? []
        return devices.contains { $0.address.flatMap(Self.canonical) == ip }
    }

    /// The reason why an address is not connected to, or nil.
    func refusal(of address: SocketAddress) -> UpstreamFailure? {
        guard let ip = Self.canonical(address), let port = address.port else { return nil }
        if self.isOwnPort(port), Self.isLocal(ip) || Self.isOfAnInterface(ip) {
            return .ownAddress(ip.utf8.contains(0x3A) ? "[\(ip)]:\(port)" : "\(ip):\(port)")
        }
        if self.refusesMetadata, Self.metadata.contains(ip) { return .metadata(ip) }
        return nil
    }

    /// Where cloud machines and containers get their credentials: AWS, Google, Azure and others; ECS and EKS; Alibaba;
    /// Oracle; Azure's host channel.
    private static let metadata: Set<String> = [
        "169.254.169.254", "fd00:ec2::254", "169.254.170.2", "169.254.170.23", "fd00:ec2::23", "100.100.100.200",
        "192.0.0.192", "168.63.129.16", "fd20:ce::254",
    ]

    private static let metadataNames: Set<String> = [
        "metadata.google.internal", "metadata.goog", "metadata", "instance-data", "instance-data.ec2.internal",
    ]

    private static func isLocal(_ ip: String) -> Bool {
        ip.hasPrefix("127.") || ip == "::1" || ip == "::" || ip.hasPrefix("0.")
    }

    /// The address as text, with IPv4-mapped IPv6 addresses as IPv4.
    private static func canonical(_ address: SocketAddress) -> String? {
        guard let text = address.ipAddress else { return nil }
        let lower = text.lowercased()
        return lower.hasPrefix("::ffff:") && lower.contains(".") ? String(lower.dropFirst(7)) : lower
    }
}
