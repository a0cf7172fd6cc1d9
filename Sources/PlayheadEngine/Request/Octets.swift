/// Octets of a text, compared and cut without any notion of characters.
typealias Octets = [UInt8]

/// The lower-case form of an ASCII letter; other octets stay.
@inline(__always)
func lowercased(_ octet: UInt8) -> UInt8 {
    octet &- 0x41 < 26 ? octet | 0x20 : octet
}

/// The value of a hexadecimal digit, or nil.
@inline(__always)
func hexValue(_ octet: UInt8) -> UInt8? {
    switch octet {
    case 0x30...0x39: octet - 0x30
    case 0x41...0x46: octet - 0x41 + 10
    case 0x61...0x66: octet - 0x61 + 10
    default: nil
    }
}

/// The text with ASCII letters in lower case; the same string if there is nothing to do.
func asciiLowercased(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 &- 0x41 < 26 }) else { return text }
    return String(decoding: text.utf8.map { lowercased($0) }, as: UTF8.self)
}

/// Octets as text for people: UTF-8 where it is valid, else Latin-1.
func displayText(_ octets: some Collection<UInt8>) -> String {
    if let text = String(validating: octets, as: UTF8.self) { return text }
    var text = ""
    for octet in octets { text.unicodeScalars.append(Unicode.Scalar(octet)) }
    return text
}

/// Where `needle` first occurs in `octets` at or after `start`, or nil.
func firstIndex(of needle: Octets, in octets: some RandomAccessCollection<UInt8>, from start: Int = 0) -> Int? {
    let fast = octets.withContiguousStorageIfAvailable { firstIndex(of: needle, inBuffer: $0, from: start) }
    if let fast { return fast }
    return Octets(octets).withUnsafeBufferPointer { firstIndex(of: needle, inBuffer: $0, from: start) }
}

/// Where `needle` first occurs in a buffer at or after `start`, or nil.
func firstIndex(of needle: Octets, inBuffer buffer: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard let first = needle.first else { return start }
    guard buffer.count - start >= needle.count else { return nil }
    var index = start
    let last = buffer.count - needle.count
    while index <= last {
        if buffer[index] == first {
            var offset = 1
            while offset < needle.count, buffer[index + offset] == needle[offset] { offset += 1 }
            if offset == needle.count { return index }
        }
        index += 1
    }
    return nil
}

/// Whether a text contains another, octet for octet.
func contains(_ text: String, _ needle: String) -> Bool {
    firstIndex(of: Octets(needle.utf8), in: Octets(text.utf8)) != nil
}
