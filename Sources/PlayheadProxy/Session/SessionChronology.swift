import PlayheadEngine

/// The chronology of a session with those who wait for their turn in it; guarded by the session's lock.
struct SessionChronology {
    /// Called, outside the lock, when the turn may have come.
    typealias Wake = @Sendable () -> Void

    private var chronology: Chronology
    private var waiting: [Int: (moment: Int, wake: Wake)] = [:]

    init(_ chronology: Chronology) { self.chronology = chronology }

    /// How far the replay is.
    var front: Int { self.chronology.front }

    mutating func begin(_ exchange: Int) { self.chronology.begin(exchange) }

    /// Whether a part may be sent; if not, `wake` is called when it may.
    ///
    /// The parts before it count as sent: the caller asks in order.
    mutating func isTurn(_ exchange: Int, moment: Int, _ wake: @escaping Wake) -> (isTurn: Bool, others: [Wake]) {
        let others = moment > 0 ? self.sent(exchange, first: moment) : []
        if self.chronology.maySend(exchange, moment: moment) { return (true, others) }
        self.waiting[exchange] = (moment, wake)
        return (false, others)
    }

    mutating func sent(_ exchange: Int, first count: Int) -> [Wake] {
        self.chronology.sent(exchange, first: count)
        return self.ready()
    }

    mutating func left(_ exchange: Int) {
        self.waiting[exchange] = nil
        self.chronology.left(exchange)
    }

    /// Gives up on what nobody asks for; says which exchanges that were and who can go on.
    mutating func passOver(for exchange: Int) -> (passed: [Int], wakes: [Wake]) {
        guard let waiter = self.waiting[exchange] else { return ([], []) }
        let passed = self.chronology.passOver(before: exchange, moment: waiter.moment)
        return (passed, self.ready())
    }

    mutating func rewind() -> [Wake] {
        self.chronology.rewind()
        defer { self.waiting = [:] }
        return self.waiting.values.map(\.wake)
    }

    private mutating func ready() -> [Wake] {
        guard !self.waiting.isEmpty else { return [] }
        let ready = self.waiting.filter { self.chronology.maySend($0.key, moment: $0.value.moment) }
        for exchange in ready.keys { self.waiting[exchange] = nil }
        return ready.values.map(\.wake)
    }
}
