public import PlayheadTLS
internal import Synchronization

/// The leaf certificates that are in use, made on first demand.
///
/// Bounded: the name that was not asked for longest goes first. A leaf is made under the lock (some 170 µs), so many
/// connections asking for one new name cause one making. A leaf is made anew when less than a third of its time is
/// left, or when the clock stands before its start.
public final class LeafCache: Sendable {
    private struct State {
        var leaves: LeastRecentlyUsed<String, LeafIssuer.Leaf>
        var minted = 0
    }

    private let issuer: LeafIssuer
    private let now: @Sendable () -> Int64
    private let state: Mutex<State>

    /// Makes an empty cache with a leaf key of its own.
    ///
    /// - Parameters:
    ///   - authority: the CA that signs.
    ///   - capacity: the most names to keep, at least 1.
    ///   - now: the clock, in seconds since 1970.
    public init(
        authority: CertificateAuthority, capacity: Int = 1000, now: @escaping @Sendable () -> Int64
    ) throws {
        self.issuer = try LeafIssuer(authority: authority)
        self.now = now
        self.state = Mutex(State(leaves: LeastRecentlyUsed(capacity: capacity)))
    }

    /// The identity to show for a host name or address; throws ``CAError`` with `illegalName` for anything else.
    public func identity(for name: String) throws -> TLSIdentity {
        let time = now()
        // Nearly all names come in their one spelling, and only checked names are in the table.
        let hit = state.withLock { LeafCache.fresh(name, at: time, in: &$0) }
        if let hit { return hit }
        let checked = try LeafName.validated(name)
        return try state.withLock { state in
            if let identity = LeafCache.fresh(checked.text, at: time, in: &state) { return identity }
            let leaf = try issuer.mint(checked, now: time)
            state.minted += 1
            state.leaves.insert(leaf, for: checked.text)
            return leaf.identity
        }
    }

    /// How many leaves were made so far.
    public var mintedCount: Int { state.withLock { $0.minted } }

    /// How many leaves are kept now.
    public var count: Int { state.withLock { $0.leaves.count } }

    private static func fresh(_ name: String, at time: Int64, in state: inout State) -> TLSIdentity? {
        guard let leaf = state.leaves.value(for: name), time >= leaf.notBefore,
            (leaf.notAfter - time) * 3 >= leaf.notAfter - leaf.notBefore
        else { return nil }
        return leaf.identity
    }
}
