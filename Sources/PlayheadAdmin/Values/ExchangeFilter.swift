import PlayheadProxy

/// Which exchanges a query asks for; what it does not name may be anything.
struct ExchangeFilter: Sendable {
    private let session: String?
    private let outcome: String?
    private let method: String?
    /// A part of the masked URL.
    private let url: String?

    /// - Throws: `AdminError` 400 when `outcome` is no word for one.
    init(_ request: AdminRequest) throws(AdminError) {
        self.session = request.query("session")
        self.outcome = request.query("outcome")
        self.method = request.query("method")
        self.url = request.query("url")
        if let outcome = self.outcome, !ExchangeEvent.outcomes.contains(outcome) {
            throw AdminError(
                400, "The query parameter outcome takes \(ExchangeEvent.outcomes.joined(separator: ", ")).")
        }
    }

    func takes(_ entry: ExchangeLog.Entry) -> Bool {
        let event = entry.event
        if let session = self.session, session != event.source.session { return false }
        if let outcome = self.outcome, outcome != event.outcome { return false }
        if let method = self.method, method != event.method { return false }
        if let url = self.url, !event.url.contains(url) { return false }
        return true
    }
}
