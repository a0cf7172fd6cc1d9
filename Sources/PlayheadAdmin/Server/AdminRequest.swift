import NIOCore
import PlayheadContent
import PlayheadHTTP
import PlayheadProxy

/// A request to the admin API that passed the gate, with its whole body.
struct AdminRequest: Sendable {
    var method: String
    /// The path and query as sent.
    var target: String
    var headers = HeaderList()
    var body = ByteBuffer()
    /// What stood in the places of the route's pattern.
    var parameters = PathParameters()

    /// The first value of a query parameter.
    func query(_ name: String) -> String? {
        guard let mark = self.target.firstIndex(of: "?") else { return nil }
        for pair in self.target[self.target.index(after: mark)...].split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard PercentCoding.decode(sides[0], plusIsSpace: true) == name else { continue }
            return sides.count > 1 ? PercentCoding.decode(sides[1], plusIsSpace: true) ?? "" : ""
        }
        return nil
    }

    /// A query parameter as a whole number within bounds.
    func number(_ name: String, in range: ClosedRange<Int>, default standard: Int) throws(AdminError) -> Int {
        guard let text = self.query(name) else { return standard }
        guard let value = Int(text), range.contains(value) else {
            throw AdminError(
                400, "The query parameter \(name) is a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }

    /// The body as JSON.
    func json() throws(AdminError) -> JSONValue {
        let type = self.headers.first("content-type").flatMap { MediaType.parse($0) }
        guard let type, type.type == "application", type.subtype == "json" else {
            throw AdminError(415, "The body must be JSON, with Content-Type: application/json.")
        }
        do {
            return try JSONValue.parse(self.body, limits: JSONLimits(depth: 32, octets: 1 << 20, values: 100_000))
        } catch {
            throw AdminError(400, "The body is no valid JSON: \(error).")
        }
    }
}

/// Why a request was not done: the status and one sentence, sent as problem details (RFC 9457).
struct AdminError: Error, Sendable, Equatable {
    var status: Int
    var detail: String

    init(_ status: Int, _ detail: String) {
        self.status = status
        self.detail = detail
    }
}
