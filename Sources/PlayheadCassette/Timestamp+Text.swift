extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with milliseconds, such as `2026-11-21T03:00:00.123Z`.
    public var description: String {
        let day = (self.milliseconds / 86_400_000) - (self.milliseconds % 86_400_000 < 0 ? 1 : 0)
        let rest = self.milliseconds - day * 86_400_000
        let (year, month, dayOfMonth) = Self.civil(day)
        let date = "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(dayOfMonth, 2))"
        let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { Self.digits($0, 2) }
        return "\(date)T\(time.joined(separator: ":")).\(Self.digits(rest % 1000, 3))Z"
    }

    /// Reads RFC 3339 (section 5.6) with any offset and fraction; digits beyond milliseconds are dropped.
    public init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        func number(_ count: Int) -> Int64? {
            guard rest.count >= count else { return nil }
            var value: Int64 = 0
            for octet in rest.prefix(count) {
                guard octet &- 0x30 < 10 else { return nil }
                value = value * 10 + Int64(octet &- 0x30)
            }
            rest = rest.dropFirst(count)
            return value
        }
        func skip(_ allowed: String) -> Bool {
            guard let first = rest.first, allowed.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2), skip("Tt "),
            let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2)
        else { return nil }
        var fraction: Int64 = 0
        if skip(".") {
            let digits = rest.prefix { $0 &- 0x30 < 10 }
            guard !digits.isEmpty else { return nil }
            for index in 0..<3 {
                let digit = index < digits.count ? digits[digits.startIndex + index] &- 0x30 : 0
                fraction = fraction * 10 + Int64(digit)
            }
            rest = rest.dropFirst(digits.count)
        }
        var offset: Int64 = 0
        if !skip("Zz") {
            let isBehind = rest.first == UInt8(ascii: "-")
            guard skip("+-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60 else {
                return nil
            }
            offset = (hours * 60 + minutes) * (isBehind ? -1 : 1)
        }
        let days = Self.days(year, month, day)
        guard rest.isEmpty, hour < 24, minute < 60, second <= 60, (1...12).contains(month),
            Self.civil(days) == (year, month, day)
        else { return nil }
        let minutes = (days * 24 + hour) * 60 + minute - offset
        self.init(milliseconds: (minutes * 60 + second) * 1000 + fraction)
    }

    private static func digits(_ value: Int64, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// Days since 1970-01-01 of a date in the proleptic Gregorian calendar, counted in eras of 400 years from March.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let civilMonth = month < 10 ? month + 3 : month - 9
        return (yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, day)
    }
}
