internal import COpenSSL
internal import PlayheadTLS

/// Makes the PKCS#12 file that a JDK takes as `javax.net.ssl.trustStore`.
public enum JavaTrustStore {
    /// Oracle's attribute that marks a certificate as trusted; without it the JDK sees an empty store.
    private static let trustedKeyUsage = "2.16.840.1.113894.746875.1.1"
    /// The value of the attribute: trusted for everything (anyExtendedKeyUsage).
    private static let anyUsage = "2.5.29.37.0"
    /// The rounds of the password in the integrity check; the password is public, so more would only cost time.
    private static let rounds: Int32 = 1

    /// Packs certificates into a trust store.
    ///
    /// The certificates are not encrypted, since they are public; the file's integrity is under an HMAC with SHA-256.
    ///
    /// - Parameters:
    ///   - certificatesPEM: PEM texts, each with any number of certificates; repeated certificates are packed once.
    ///   - password: what the JDK is given as `javax.net.ssl.trustStorePassword`.
    /// - Returns: the octets of the file.
    public static func pkcs12(certificatesPEM: [String], password: String) throws -> [UInt8] {
        ERR_clear_error()
        guard let usage = OBJ_txt2obj(anyUsage, 1), let bags = playhead_bags_new() else { throw failure("memory") }
        defer {
            ASN1_OBJECT_free(usage)
            playhead_bags_free(bags)
        }
        var seen: Set<[UInt8]> = []
        for text in certificatesPEM {
            let certificates: [Certificate]
            do {
                certificates = try Certificate.parse(pem: Array(text.utf8))
            } catch {
                throw CAError(
                    code: .invalid, message: "a certificate for the Java trust store cannot be used: \(error)")
            }
            for certificate in certificates where seen.insert(certificate.sha256).inserted {
                try add(certificate, number: seen.count, usage: usage, to: bags)
            }
        }
        return try pack(bags, password: password)
    }

    private static func add(
        _ certificate: Certificate, number: Int, usage: OpaquePointer, to bags: OpaquePointer
    ) throws {
        guard let bag = PKCS12_SAFEBAG_create_cert(certificate.pointer) else { throw failure("a certificate") }
        // Entries of one alias would replace each other, so each has its number.
        let label = certificate.commonName ?? certificate.subject
        let digits = String(number)
        let alias = String(repeating: "0", count: max(0, 3 - digits.count)) + digits + " " + label
        guard PKCS12_add_friendlyname_utf8(bag, alias, Int32(alias.utf8.count)) == 1,
            playhead_bag_add_object_attribute(bag, trustedKeyUsage, usage) == 1,
            playhead_bags_push(bags, bag) == 1
        else {
            PKCS12_SAFEBAG_free(bag)
            throw failure("the attributes of “\(label)”")
        }
    }

    private static func pack(_ bags: OpaquePointer, password: String) throws -> [UInt8] {
        var safes: OpaquePointer?
        defer { playhead_safes_free(safes) }
        // -1: not encrypted.
        guard PKCS12_add_safe(&safes, bags, -1, 0, nil) == 1, let store = PKCS12_add_safes(safes, 0) else {
            throw failure("the bags")
        }
        defer { PKCS12_free(store) }
        guard PKCS12_set_mac(store, password, Int32(password.utf8.count), nil, 0, rounds, EVP_sha256()) == 1 else {
            throw failure("the integrity check")
        }
        var start: UnsafeMutablePointer<UInt8>?
        let count = i2d_PKCS12(store, &start)
        guard count > 0, let start else { throw failure("the encoding") }
        defer { CRYPTO_free(start, nil, 0) }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    private static func failure(_ what: String) -> CAError {
        CAError(
            code: .invalid,
            message: "the Java trust store cannot be made (\(what)): \(OpenSSLErrorStack.drain().summary)")
    }
}
