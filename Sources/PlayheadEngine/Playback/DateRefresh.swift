import PlayheadCassette
import PlayheadHTTP

/// Shifts the dates in a replayed response by the age of its recording, so that what was fresh then is fresh now.
enum DateRefresh {
    /// What had expired before it was recorded was meant as "gone" and stays.
    private static let expiryGrace: Int64 = 86_400_000

    static func applied(to exchange: Exchange, now: Timestamp) -> Exchange {
        let (age, overflow) = now.milliseconds.subtractingReportingOverflow(exchange.recordedAt.milliseconds)
        guard !overflow, abs(age) >= 1000, case .response(var response) = exchange.outcome else { return exchange }
        response.headers = response.headers.replacingValues { name, value in
            self.shifted(name: name, displayText(value), age: age, recordedAt: exchange.recordedAt).map {
                Octets($0.utf8)
            }
        }
        var result = exchange
        result.outcome = .response(response)
        return result
    }

    private static func shifted(name: String, _ value: String, age: Int64, recordedAt: Timestamp) -> String? {
        switch asciiLowercased(name) {
        case "date", "last-modified": self.shifted(value, age)
        case "expires", "retry-after": self.shifted(value, age, unlessBefore: recordedAt)
        case "set-cookie": self.cookie(value, age, recordedAt)
        default: nil
        }
    }

    private static func shifted(_ text: String, _ age: Int64, unlessBefore moment: Timestamp? = nil) -> String? {
        guard let date = HTTPDate.parse(text) else { return nil }
        if let moment, date.milliseconds < moment.milliseconds - Self.expiryGrace { return nil }
        let (sum, overflow) = date.milliseconds.addingReportingOverflow(age)
        guard !overflow, (0..<253_402_300_800_000).contains(sum) else { return nil }
        return HTTPDate.text(Timestamp(milliseconds: sum))
    }

    /// The `Expires` attribute (RFC 6265 section 4.1.2.1); `Max-Age` counts from today anyway.
    private static func cookie(_ value: String, _ age: Int64, _ recordedAt: Timestamp) -> String? {
        var isChanged = false
        let parts = value.split(separator: ";", omittingEmptySubsequences: false).enumerated().map { index, part in
            let sides = part.split(separator: "=", maxSplits: 1)
            guard index > 0, sides.count == 2,
                asciiLowercased(String(sides[0])).filter({ $0 != " " }) == "expires",
                let new = self.shifted(String(sides[1]), age, unlessBefore: recordedAt)
            else { return String(part) }
            isChanged = true
            return "\(sides[0])=\(new)"
        }
        return isChanged ? parts.joined(separator: ";") : nil
    }
}
