internal import COpenSSL
internal import PlayheadTLS

/// The old store format of Java (JKS), for tools that read no PKCS#12.
///
/// Its integrity is under SHA-1 with a fixed salt, as the format has it; it holds certificates only, which are public.
public enum JavaKeyStore {
    /// Packs certificates into a trust store.
    ///
    /// - Parameters:
    ///   - certificatesPEM: PEM texts, each with any number of certificates; repeated certificates are packed once.
    ///   - password: what the reader is given.
    ///   - now: seconds since 1970, the creation time of the entries.
    /// - Returns: the octets of the file.
    public static func jks(certificatesPEM: [String], password: String, now: Int64) throws -> [UInt8] {
        var seen: Set<[UInt8]> = []
        var entries: [UInt8] = []
        for text in certificatesPEM {
            let certificates: [Certificate]
            do {
                certificates = try Certificate.parse(pem: Array(text.utf8))
            } catch {
                throw CAError(code: .invalid, message: "a certificate for the Java key store cannot be used: \(error)")
            }
            for certificate in certificates where seen.insert(certificate.sha256).inserted {
                let label = certificate.commonName ?? certificate.subject
                // Trusted certificate: tag 2, alias, time in milliseconds, type, octets.
                entries += big(2, octets: 4)
                // Java compares aliases in lower case, and entries of one alias would replace each other.
                entries += try modifiedUTF8("\(seen.count) \(label)".lowercased())
                entries += big(UInt64(bitPattern: now &* 1000), octets: 8)
                entries += try modifiedUTF8("X.509")
                let der = certificate.der
                entries += big(UInt64(der.count), octets: 4) + der
            }
        }
        let store = big(0xFEED_FEED, octets: 4) + big(2, octets: 4) + big(UInt64(seen.count), octets: 4) + entries
        let salted = password.utf16.flatMap { big(UInt64($0), octets: 2) } + Array("Mighty Aphrodite".utf8) + store
        var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
        guard EVP_Digest(salted, salted.count, &digest, nil, EVP_sha1(), nil) == 1 else {
            throw CAError(
                code: .invalid, message: "the Java key store cannot be made: \(OpenSSLErrorStack.drain().summary)")
        }
        return store + digest
    }

    private static func big(_ value: UInt64, octets: Int) -> [UInt8] {
        (0..<octets).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    /// Java's own form of UTF-8 (`DataOutput.writeUTF`): the length in two octets, then each UTF-16 unit by itself.
    static func modifiedUTF8(_ text: String) throws -> [UInt8] {
        var octets: [UInt8] = []
        for unit in text.utf16 {
            switch unit {
            case 0x01...0x7F: octets.append(UInt8(unit))
            case 0, 0x80...0x7FF:
                octets += [0xC0 | UInt8(truncatingIfNeeded: unit >> 6), 0x80 | UInt8(truncatingIfNeeded: unit & 0x3F)]
            default:
                octets += [
                    0xE0 | UInt8(truncatingIfNeeded: unit >> 12), 0x80 | UInt8(truncatingIfNeeded: unit >> 6 & 0x3F),
                    0x80 | UInt8(truncatingIfNeeded: unit & 0x3F),
                ]
            }
        }
        guard octets.count <= 0xFFFF else {
            throw CAError(code: .invalid, message: "a certificate's name is too long for a Java key store")
        }
        return big(UInt64(octets.count), octets: 2) + octets
    }
}
