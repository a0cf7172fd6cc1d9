import PlayheadEngine

/// What the summary says of requests that failed while it was recorded.
struct FailureNotes {
    private struct Tally {
        var count = 0
        var first = ""

        mutating func note(_ text: @autoclosure () -> String) {
            if self.count == 0 { self.first = text() }
            self.count += 1
        }

        /// A sentence about all of them; nil without any.
        func words(_ one: String, _ many: String) -> String? {
            switch self.count {
            case 0: nil
            case 1: "1 request failed and \(one): \(self.first)"
            default: "\(self.count) requests failed and \(many); the first: \(self.first)"
            }
        }
    }

    private var recorded = Tally()
    private var unrecorded = Tally()

    mutating func noteRecorded(_ message: String, named name: @autoclosure () -> String) {
        self.recorded.note("\(name()): \(message)")
    }

    mutating func noteUnrecorded(_ message: String, named name: @autoclosure () -> String) {
        self.unrecorded.note("\(name()): \(message)")
    }

    /// - Parameter cassette: the cassette's file as people are told it.
    func warnings(cassette: String) -> [String] {
        let command = "playhead cassette prune \(RecordCommand.argument(cassette)) --failures"
        let advice = " To ask the server again: \(command), then --mode new_episodes"
        return [
            self.recorded.words("is recorded so, for later runs to replay", "are recorded so, for later runs to replay")
                .map { $0 + advice },
            self.unrecorded.words("is not recorded", "are not recorded"),
        ].compactMap { $0 }
    }
}
