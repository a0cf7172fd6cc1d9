public import PlayheadCassette

/// The order in which the parts of all answers of a cassette were recorded, and how far it has been replayed.
///
/// A part may be sent when all parts recorded before it have been. So that nothing waits for ever, an exchange that
/// nobody asks for can be passed over: then no other waits for it, and it waits for none should it still come.
public struct Chronology: Sendable {
    /// How an exchange takes part.
    private enum Standing: Sendable {
        /// It was not asked for, or its client left.
        case awaited
        /// It is being sent.
        case playing
        /// It counts no longer: all of it was sent, or it was passed over.
        case out
    }

    /// The exchange of each part, in recorded order.
    private let order: [Int32]
    /// The places of each exchange's parts in the order.
    private let places: [[Int32]]
    private var isSent: [Bool]
    private var standing: [Standing]
    /// The first place in the order that was neither sent nor passed over.
    public private(set) var front = 0

    /// Orders the parts of a cassette by the time at which they came; what came in one millisecond by position.
    public init(_ exchanges: [Exchange]) {
        var parts: [(time: Int64, exchange: Int32, moment: Int32)] = []
        for (position, exchange) in exchanges.enumerated() {
            for (moment, time) in PlaybackMoments(exchange).times.enumerated() {
                let (sum, overflow) = exchange.recordedAt.milliseconds.addingReportingOverflow(Int64(time))
                parts.append((overflow ? .max : sum, Int32(position), Int32(moment)))
            }
        }
        parts.sort { ($0.time, $0.exchange, $0.moment) < ($1.time, $1.exchange, $1.moment) }
        var places: [[Int32]] = Array(repeating: [], count: exchanges.count)
        for (place, part) in parts.enumerated() { places[Int(part.exchange)].append(Int32(place)) }
        self.order = parts.map(\.exchange)
        self.places = places
        self.isSent = Array(repeating: false, count: parts.count)
        self.standing = Array(repeating: .awaited, count: exchanges.count)
    }

    /// Notes that an exchange is being sent.
    public mutating func begin(_ exchange: Int) {
        if self.standing[exchange] == .awaited { self.standing[exchange] = .playing }
    }

    /// Whether a part may be sent now.
    public func maySend(_ exchange: Int, moment: Int) -> Bool {
        if self.standing[exchange] == .out { return true }
        guard self.places[exchange].indices.contains(moment) else { return true }
        return Int(self.places[exchange][moment]) <= self.front
    }

    /// Notes that the first `count` parts of an exchange were sent.
    public mutating func sent(_ exchange: Int, first count: Int) {
        for place in self.places[exchange].prefix(count) { self.isSent[Int(place)] = true }
        if count >= self.places[exchange].count { self.standing[exchange] = .out }
        self.advance()
    }

    /// Notes that the client of an exchange left before it had everything.
    public mutating func left(_ exchange: Int) {
        if self.standing[exchange] == .playing { self.standing[exchange] = .awaited }
    }

    /// Gives up on the exchanges that a part waits for although nobody asks for them.
    ///
    /// - Returns: the exchanges that were passed over.
    public mutating func passOver(before exchange: Int, moment: Int) -> [Int] {
        guard self.places[exchange].indices.contains(moment) else { return [] }
        var passed: [Int] = []
        let place = Int(self.places[exchange][moment])
        guard self.front < place else { return [] }
        for other in self.order[self.front..<place].map({ Int($0) }) where self.standing[other] == .awaited {
            self.standing[other] = .out
            passed.append(other)
        }
        self.advance()
        return passed
    }

    /// Begins anew.
    public mutating func rewind() {
        self.front = 0
        for place in self.isSent.indices { self.isSent[place] = false }
        for exchange in self.standing.indices { self.standing[exchange] = .awaited }
    }

    private mutating func advance() {
        while self.front < self.order.count,
            self.isSent[self.front] || self.standing[Int(self.order[self.front])] == .out
        {
            self.front += 1
        }
    }
}
