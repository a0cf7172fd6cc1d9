internal import COpenSSL

/// What OpenSSL asks in the middle of a handshake.
extension TLSConnection {
    /// Reads the SNI before anything else is looked at, sets its certificate, and binds sessions to the name.
    ///
    /// A ticket that was issued under another name is then not resumed: OpenSSL itself would resume it, which
    /// RFC 6066 section 3 forbids. False ends the handshake.
    func clientHello() -> Bool {
        guard case .server(let context, let fallbackName) = role else { return false }
        requestedServerName = withSSL { TLSConnection.serverName(inClientHelloOf: $0) }
        let name = requestedServerName ?? fallbackName
        do {
            let identity = try context.identity(name)
            let octets = Array(name.utf8)
            var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
            SHA256(octets, octets.count, &digest)
            return withSSL { ssl in
                SSL_set_session_id_context(ssl, digest, UInt32(digest.count)) == 1 && identity.install(on: ssl) == 1
            }
        } catch {
            callbackFailure = TLSError(code: .configuration, message: "there is no certificate for “\(name)”: \(error)")
            return false
        }
    }

    /// The first host name of the server_name extension (RFC 6066 section 3), nil when absent or malformed.
    private static func serverName(inClientHelloOf ssl: OpaquePointer) -> String? {
        var start: UnsafePointer<UInt8>?
        var count = 0
        guard SSL_client_hello_get0_ext(ssl, UInt32(TLSEXT_TYPE_server_name), &start, &count) == 1, let start else {
            return nil
        }
        let bytes = UnsafeBufferPointer(start: start, count: count)
        // list length (2), type (1), name length (2), name
        guard bytes.count > 5, bytes[2] == UInt8(TLSEXT_NAMETYPE_host_name) else { return nil }
        let length = Int(bytes[3]) << 8 | Int(bytes[4])
        guard length > 0, 5 + length <= bytes.count else { return nil }
        return String(decoding: bytes[5..<(5 + length)], as: UTF8.self).lowercased()
    }

    /// The protocol to use, as a range of the client's offer.
    func chooseProtocol(from offer: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard case .server(let context, _) = role else { return nil }
        return TLSServerContext.overlap(ours: context.alpn, offer: offer)
    }

    /// Writes down why a certificate is not accepted, and changes nothing about the verdict.
    static func noteVerification(_ verdict: Int32, _ store: OpaquePointer?) -> Int32 {
        guard verdict != 1, let store,
            let data = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let connection = TLSConnection.of(OpaquePointer(data))
        else { return verdict }
        let code = X509_STORE_CTX_get_error(store)
        var text = String(cString: X509_verify_cert_error_string(Int(code)))
        if let certificate = X509_STORE_CTX_get_current_cert(store) {
            switch code {
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
                text += " (\(SubjectNames.sentence(of: certificate)))"
            case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID:
                let subject = Certificate.text(of: X509_get_subject_name(certificate))
                let period = withMemoryBIO { bio in
                    guard ASN1_TIME_print(bio, X509_get0_notBefore(certificate)) == 1,
                        BIO_puts(bio, " to ") > 0
                    else { return 0 }
                    return ASN1_TIME_print(bio, X509_get0_notAfter(certificate))
                }
                text += " (“\(subject)” is valid from \(period ?? "unknown"))"
            default:
                let subject = Certificate.text(of: X509_get_subject_name(certificate))
                let issuer = Certificate.text(of: X509_get_issuer_name(certificate))
                text += " (“\(subject)” issued by “\(issuer)”)"
            }
        }
        connection.rejection = TLSError.Rejection(reason: text, isUntrustedIssuer: issuerErrors.contains(code))
        return verdict
    }

    /// The verdicts that one more trusted certificate would change.
    private static let issuerErrors: Set<Int32> = [
        X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
        X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
        X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED,
    ]
}
