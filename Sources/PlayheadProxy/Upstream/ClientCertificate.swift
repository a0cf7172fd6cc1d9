public import PlayheadEngine
public import PlayheadTLS

/// A certificate of ours for the servers that ask for one.
public struct ClientCertificate: Sendable {
    /// The hosts that it is shown to.
    public var hosts: HostPattern
    /// The certificate, its chain and its key.
    public var identity: TLSIdentity

    /// Creates an entry.
    public init(hosts: HostPattern, identity: TLSIdentity) {
        self.hosts = hosts
        self.identity = identity
    }
}
