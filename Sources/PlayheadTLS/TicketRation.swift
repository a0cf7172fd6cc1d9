internal import Synchronization

/// Decides which connections of TLS 1.3 get a session ticket.
///
/// A ticket is a sixteenth of what a full handshake costs, and many clients, such as one process of curl per request,
/// never come back with it. So when no session was resumed in ``trial`` connections, one connection in ``share`` gets a
/// ticket, until a session is resumed again (RFC 8446 section 4.6.1 leaves the number to the server).
final class TicketRation: Sendable {
    /// How many connections in a row may get a ticket that nobody uses.
    static let trial = 32
    /// After that, one connection in so many gets a ticket.
    static let share = 8

    private let connections = Atomic(0)
    private let lastResumed = Atomic(0)

    /// Whether a new connection gets a ticket.
    func grants() -> Bool {
        let number = self.connections.wrappingAdd(1, ordering: .relaxed).oldValue
        return number &- self.lastResumed.load(ordering: .relaxed) < Self.trial || number.isMultiple(of: Self.share)
    }

    /// A client came back with its ticket.
    func noteResumption() {
        self.lastResumed.store(self.connections.load(ordering: .relaxed), ordering: .relaxed)
    }
}
