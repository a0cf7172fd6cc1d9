extension TokenShape {
    /// `Basic` with credentials: only base64 that decodes to text with a colon, so that prose is none.
    static func basicEnd(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        guard has("Basic ", text, start) || has("basic ", text, start) else { return nil }
        var end = start + 6
        while end < text.count, EncodedRun.isPart(text[end]) { end += 1 }
        let inner = EncodedRun.decode(text[(start + 6)..<end])
        guard inner.contains(UInt8(ascii: ":")), EncodedRun.looksLikeText(inner) else { return nil }
        while end < text.count, text[end] == UInt8(ascii: "=") { end += 1 }
        return end
    }

    /// `SharedAccessSignature sr=…&sig=…`, and `SharedAccessSignature=sv=…&sig=…` of a connection string.
    static func signatureEnd(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        guard has("SharedAccessSignature", text, start) else { return nil }
        let mark = start + "SharedAccessSignature".utf8.count
        guard mark < text.count, text[mark] == 0x20 || text[mark] == UInt8(ascii: "=") else { return nil }
        var end = mark + 1
        while end < text.count, !endsValue(text[end]) { end += 1 }
        let value = UnsafeBufferPointer(rebasing: text[(mark + 1)..<end])
        return firstIndex(of: Octets("sig=".utf8), inBuffer: value, from: 0) == nil ? nil : end
    }

    /// The key of a connection string: base64 of 16 or more.
    static func azureKeyEnd(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        guard has("AccountKey=", text, start) || has("SharedAccessKey=", text, start),
            let mark = text[start...].firstIndex(of: UInt8(ascii: "="))
        else { return nil }
        var end = mark + 1
        while end < text.count, !endsValue(text[end]) { end += 1 }
        return end - mark > 16 ? end : nil
    }

    private static func endsValue(_ octet: UInt8) -> Bool {
        octet <= 0x20 || octet == 0x7F || octet == UInt8(ascii: ";") || octet == UInt8(ascii: "\"")
            || octet == UInt8(ascii: "'") || octet == UInt8(ascii: "<") || octet == UInt8(ascii: "\\")
    }
}
