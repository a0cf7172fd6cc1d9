/// Decodes octets as UTF-8 where they are valid, else as Latin-1, so that no octet is lost.
public func decodeText(_ octets: UnsafeRawBufferPointer) -> String {
    if let text = String(validating: octets, as: UTF8.self) { return text }
    var text = ""
    text.unicodeScalars.reserveCapacity(octets.count)
    for octet in octets { text.unicodeScalars.append(Unicode.Scalar(octet)) }
    return text
}

/// Whether octets equal an ASCII text, letter case aside.
@inline(__always)
func equalsIgnoringCase(_ octets: UnsafeRawBufferPointer, _ text: String) -> Bool {
    guard octets.count == text.utf8.count else { return false }
    var index = 0
    for unit in text.utf8 {
        guard lowercased(octets[index]) == lowercased(unit) else { return false }
        index += 1
    }
    return true
}

/// Whether octets of the same number are equal, the case of ASCII letters aside.
@inline(__always)
func equalsIgnoringCase(_ octets: UnsafeRawBufferPointer, _ others: UnsafeBufferPointer<UInt8>) -> Bool {
    for index in 0..<others.count where lowercased(octets[index]) != lowercased(others[index]) { return false }
    return true
}

/// The lower-case form of an ASCII letter; other octets stay.
@inline(__always)
func lowercased(_ octet: UInt8) -> UInt8 {
    octet &- 0x41 < 26 ? octet | 0x20 : octet
}

/// Text without spaces and tabs at both ends (OWS, RFC 9110 section 5.6.3).
func trimmed(_ text: Substring) -> String {
    var rest = text
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return String(rest)
}
