/// One certificate of a PEM file (RFC 7468).
public struct PEMCertificate: Sendable, Hashable {
    /// The DER octets between the markers.
    public let der: [UInt8]

    /// Creates a certificate from its DER octets.
    public init(der: [UInt8]) { self.der = der }

    /// The PEM text, in lines of 64 characters, with a newline at the end.
    public var pem: String {
        let body = Base64.encode(der)
        var text = "-----BEGIN CERTIFICATE-----\n"
        var rest = body[...]
        while !rest.isEmpty {
            text += rest.prefix(64)
            text += "\n"
            rest = rest.dropFirst(64)
        }
        return text + "-----END CERTIFICATE-----\n"
    }

    /// Every certificate in a text, in order; other PEM blocks, comments and damaged blocks are skipped.
    public static func all(in text: String) -> [PEMCertificate] {
        all(in: Array(text.utf8))
    }

    /// Every certificate in the octets of a file, in order.
    public static func all(in octets: [UInt8]) -> [PEMCertificate] {
        var certificates: [PEMCertificate] = []
        var body: [UInt8]?
        for line in octets.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            if line.starts(with: "-----".utf8) {
                if line.starts(with: "-----BEGIN CERTIFICATE-----".utf8) {
                    body = []
                } else {
                    if line.starts(with: "-----END CERTIFICATE-----".utf8), let body, let der = Base64.decode(body) {
                        certificates.append(PEMCertificate(der: der))
                    }
                    body = nil
                }
            } else {
                body?.append(contentsOf: line)
            }
        }
        return certificates
    }
}

/// Base64 (RFC 4648 section 4), as PEM needs it.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// The octets of a text; white space is skipped, and nil means that it is not base64 or empty.
    static func decode(_ text: [UInt8]) -> [UInt8]? {
        var octets: [UInt8] = []
        octets.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        var padding = 0
        for letter in text where letter != 0x20 && letter != 0x09 {
            if letter == 0x3D {
                padding += 1
                continue
            }
            let value = values[Int(letter)]
            guard value != 0xFF, padding == 0 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count % 4 == 0 {
                octets.append(UInt8(truncatingIfNeeded: bits >> 16))
                octets.append(UInt8(truncatingIfNeeded: bits >> 8))
                octets.append(UInt8(truncatingIfNeeded: bits))
                bits = 0
            }
        }
        guard (count + padding) % 4 == 0, padding <= 2, count > 0 else { return nil }
        if padding == 2 { octets.append(UInt8(truncatingIfNeeded: bits >> 4)) }
        if padding == 1 {
            octets.append(UInt8(truncatingIfNeeded: bits >> 10))
            octets.append(UInt8(truncatingIfNeeded: bits >> 2))
        }
        return octets
    }

    /// The text of octets, padded.
    static func encode(_ octets: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((octets.count + 2) / 3 * 4)
        for start in stride(from: 0, to: octets.count, by: 3) {
            let left = min(3, octets.count - start)
            var bits: UInt32 = 0
            for offset in 0..<3 { bits = bits << 8 | (offset < left ? UInt32(octets[start + offset]) : 0) }
            for position in 0..<4 {
                text.append(position <= left ? alphabet[Int(bits >> UInt32(18 - 6 * position) & 63)] : 0x3D)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
