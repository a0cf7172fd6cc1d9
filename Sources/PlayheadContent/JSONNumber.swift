/// Brings JSON numbers into one text per value, without going through floating point.
enum JSONNumber {
    /// Up to so many digits a number is written without an exponent.
    private static let plainDigits = 40

    /// The canonical text of a number that the scanner has accepted.
    ///
    /// An exponent of more than 15 digits stays as it is: such numbers are compared as text.
    static func canonical(_ source: UnsafeRawBufferPointer) -> String {
        var digits: [UInt8] = []
        var point: Int?
        var isNegative = false
        var index = 0
        scan: while index < source.count {
            switch source[index] {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): point = digits.count
            case let digit where digit &- 0x30 < 10: digits.append(digit)
            default: break scan
            }
            index += 1
        }
        var exponent = 0
        if index < source.count {
            let text = String(decoding: source[(index + 1)...], as: UTF8.self)
            guard text.utf8.count <= 15, let value = Int(text) else {
                return String(decoding: source, as: UTF8.self).lowercased()
            }
            exponent = value
        }
        exponent -= digits.count - (point ?? digits.count)
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        digits = Array(digits.drop { $0 == UInt8(ascii: "0") })
        guard !digits.isEmpty else { return "0" }
        return (isNegative ? "-" : "") + self.text(digits, exponent)
    }

    private static func text(_ digits: [UInt8], _ exponent: Int) -> String {
        let number = String(decoding: digits, as: UTF8.self)
        if exponent >= 0, digits.count + exponent <= self.plainDigits {
            return number + String(repeating: "0", count: exponent)
        }
        if exponent < 0, -exponent <= self.plainDigits {
            let padding = String(repeating: "0", count: max(0, 1 - exponent - digits.count))
            let padded = padding + number
            return "\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
        }
        return "\(number)e\(exponent)"
    }
}
