import PlayheadCassette

/// Dates as HTTP fields write them (RFC 9110 section 5.6.7), read as leniently as browsers read cookies.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// Reads any of the three forms, and what cookies make of them (RFC 6265 section 5.1.1); nil if it is no date.
    static func parse(_ text: String) -> Timestamp? {
        var time: String?
        var day: Int?
        var month: Int?
        var year: Int?
        for word in text.utf8.split(whereSeparator: { !TokenShape.isWord($0) && $0 != UInt8(ascii: ":") }) {
            let word = String(decoding: word, as: UTF8.self)
            if time == nil, let clock = Self.clock(word) {
                time = clock
            } else if month == nil, let found = Self.months.firstIndex(where: { Self.isSame(word.prefix(3), $0) }) {
                month = found + 1
            } else if let number = Int(word), number >= 0 {
                if day == nil, word.utf8.count <= 2 {
                    day = number
                } else if year == nil {
                    year = Self.year(number, word)
                }
            }
        }
        guard let time, let day, let month, let year, (1601...9999).contains(year) else { return nil }
        return Timestamp("\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))T\(time)Z")
    }

    /// The form that senders must use: `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ moment: Timestamp) -> String {
        let parts = Array(moment.description.utf8)
        // 1994-11-06T08:49:37.000Z
        guard parts.count == 24 else { return moment.description }
        func part(_ range: Range<Int>) -> String { String(decoding: parts[range], as: UTF8.self) }
        let day = 86_400_000 as Int64
        let days = (moment.milliseconds - (moment.milliseconds % day + day) % day) / day
        let weekday = Self.weekdays[Int((days % 7 + 7) % 7)]
        let month = Self.months[max(0, min(11, (Int(part(5..<7)) ?? 1) - 1))]
        return "\(weekday), \(part(8..<10)) \(month) \(part(0..<4)) \(part(11..<19)) GMT"
    }

    private static func clock(_ word: String) -> String? {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
            (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
        else { return nil }
        return "\(Self.digits(hour, 2)):\(Self.digits(minute, 2)):\(Self.digits(second, 2))"
    }

    private static func year(_ number: Int, _ word: String) -> Int? {
        switch word.utf8.count {
        case 4: number
        case 2: number < 70 ? 2000 + number : 1900 + number
        default: nil
        }
    }

    private static func isSame(_ word: Substring, _ name: String) -> Bool {
        asciiLowercased(String(word)) == asciiLowercased(name)
    }

    private static func digits(_ value: Int, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
