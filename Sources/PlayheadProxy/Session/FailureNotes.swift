import PlayheadCassette

/// What the summary says of servers that failed while it was recorded: later runs replay that.
struct FailureNotes {
    private var count = 0
    private var first: String?

    mutating func noteRecorded(_ failure: RecordedFailure, named name: @autoclosure () -> String) {
        self.count += 1
        if self.first == nil { self.first = "\(name()): \(failure.message)" }
    }

    /// - Parameter cassette: the cassette's file as people are told it.
    func warning(cassette: String) -> String? {
        guard let first = self.first else { return nil }
        let many = self.count > 1
        return (many ? "\(self.count) requests failed and are" : "1 request failed and is")
            + " recorded so, for later runs to replay\(many ? "; the first" : ""): \(first) To ask the server again: "
            + "playhead cassette prune \(cassette) --failures, then --mode new_episodes"
    }
}
