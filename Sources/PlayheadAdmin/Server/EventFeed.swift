import NIOCore
import PlayheadEngine
import PlayheadProxy

/// The events that a client has not yet got, as text: the log's entries after the last one it knows.
///
/// An event's id is the run of the program and the entry's number, so that a client which comes back to another run
/// is not taken for one that missed nothing.
struct EventFeed: Sendable {
    let log: ExchangeLog
    private let run: String
    private let filter: ExchangeFilter
    /// The number of the last entry that was handed over or passed by.
    private var position: Int
    /// Whether the client knows events that this run does not have.
    private var isOtherRun = false

    /// Begins after `lastID`; without one, with what comes from now on.
    init(log: ExchangeLog, run: String, lastID: String?, filter: ExchangeFilter) {
        self.log = log
        self.run = run
        self.filter = filter
        guard let lastID, !lastID.isEmpty else {
            self.position = log.last
            return
        }
        let parts = lastID.split(separator: "-", maxSplits: 1)
        let last = log.last
        if parts.count == 2, parts[0] == run, let number = Int(parts[1]), number >= 0, number <= last {
            self.position = number
        } else {
            self.position = 0
            self.isOtherRun = true
        }
    }

    /// The text of the next events, at most some; nil when there are none now.
    mutating func next(limit: Int = 50) -> ByteBuffer? {
        let last = self.log.last
        guard last > self.position || self.isOtherRun else { return nil }
        let page = self.log.page(after: self.position, limit: limit, where: self.filter.takes)
        var text = ""
        if self.isOtherRun || self.position + 1 < page.first {
            let lost = self.isOtherRun ? page.first - 1 : page.first - 1 - self.position
            text += self.event("reset", number: page.first - 1) { $0.member("lost", lost) }
            self.isOtherRun = false
            self.position = max(self.position, page.first - 1)
        }
        for entry in page.entries {
            text += self.event("exchange", number: entry.number) { ExchangeText(entry).writeSummary(to: &$0) }
        }
        // A page that is not full ends with the log as it was when `last` was asked, or later.
        let end = page.entries.last?.number ?? 0
        self.position = page.entries.count < limit ? max(end, last, self.position) : end
        return text.isEmpty ? nil : ByteBuffer(string: text)
    }

    /// What is sent now and then so that both sides see that the other is there.
    static let heartbeat = ByteBuffer(string: ": still here\n\n")
    /// What is sent first: the client shall come back after a second.
    static let greeting = ByteBuffer(string: "retry: 1000\n\n")

    private func event(_ name: String, number: Int, _ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object(write)
        // JSON text has no line feed, so one data line holds it.
        return "event: \(name)\nid: \(self.run)-\(number)\ndata: \(writer.text)\n\n"
    }
}
