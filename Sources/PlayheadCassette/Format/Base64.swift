/// Base64 (RFC 4648 section 4) without Foundation.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    package static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { space in
            var out = 0
            var index = 0
            while index < bytes.count {
                let left = bytes.count - index
                let group =
                    UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
                    | (left > 2 ? UInt32(bytes[index + 2]) : 0)
                space[out] = self.alphabet[Int(group >> 18)]
                space[out + 1] = self.alphabet[Int(group >> 12 & 63)]
                space[out + 2] = left > 1 ? self.alphabet[Int(group >> 6 & 63)] : UInt8(ascii: "=")
                space[out + 3] = left > 2 ? self.alphabet[Int(group & 63)] : UInt8(ascii: "=")
                out += 4
                index += 3
            }
            return out
        }
    }

    /// The octets; white space is skipped, anything else that is not canonical base64 gives nil.
    package static func decode(_ text: String) -> [UInt8]? {
        var octets: [UInt8] = []
        octets.reserveCapacity(text.utf8.count / 4 * 3)
        var group: UInt32 = 0
        var count = 0
        var padding = 0
        for letter in text.utf8 {
            switch letter {
            case 0x20, 0x09, 0x0a, 0x0d: continue
            case UInt8(ascii: "="):
                padding += 1
                continue
            default: break
            }
            let value = self.values[Int(letter)]
            guard value != 0xff, padding == 0 else { return nil }
            group = group << 6 | UInt32(value)
            count += 1
            if count == 4 {
                octets.append(contentsOf: [UInt8(group >> 16 & 255), UInt8(group >> 8 & 255), UInt8(group & 255)])
                (group, count) = (0, 0)
            }
        }
        switch (count, padding) {
        case (0, 0): return octets
        case (2, 2) where group & 15 == 0: octets.append(UInt8(group >> 4 & 255))
        case (3, 1) where group & 3 == 0:
            octets.append(contentsOf: [UInt8(group >> 10 & 255), UInt8(group >> 2 & 255)])
        default: return nil
        }
        return octets
    }
}
