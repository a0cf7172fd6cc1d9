internal import COpenSSL

/// One reference to an X.509 certificate.
///
/// Sendable because the certificate is never changed once it is wrapped: OpenSSL's reference counts are atomic and
/// the cache of parsed extensions is filled under the object's lock (openssl-threads(7), X509_up_ref(3)).
package final class Certificate: @unchecked Sendable {
    /// The `X509 *`, valid as long as this object.
    package let pointer: OpaquePointer

    /// Takes over a reference.
    package init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { X509_free(pointer) }

    /// Reads all certificates of a PEM text, in their order; an empty array when there is none.
    package static func parse(pem: [UInt8]) throws -> [Certificate] {
        ERR_clear_error()
        let count = Int32(clamping: pem.count)
        return try pem.withUnsafeBytes { bytes in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, count) else { return [] }
            defer { BIO_free(bio) }
            var found: [Certificate] = []
            while let next = PEM_read_bio_X509(bio, nil, refusePassword, nil) {
                found.append(Certificate(owning: next))
            }
            // "No start line" is how OpenSSL says that the text is at its end.
            let last = ERR_peek_last_error()
            let reason = Int32(last & 0x7F_FFFF)
            let ended = last == 0 || reason == PEM_R_NO_START_LINE
            let stack = OpenSSLErrorStack.drain()
            guard ended else {
                throw TLSError(code: .configuration, message: "a certificate cannot be read: \(stack.summary)")
            }
            return found
        }
    }

    /// The certificate as PEM text.
    package var pem: String {
        withMemoryBIO { PEM_write_bio_X509($0, pointer) } ?? ""
    }

    /// The subject in RFC 2253 form, for messages.
    package var subject: String { Certificate.text(of: X509_get_subject_name(pointer)) }

    /// The issuer in RFC 2253 form, for messages.
    package var issuer: String { Certificate.text(of: X509_get_issuer_name(pointer)) }

    /// A name in RFC 2253 form with readable UTF-8.
    package static func text(of name: OpaquePointer?) -> String {
        withMemoryBIO { X509_NAME_print_ex($0, name, 0, PLAYHEAD_NAME_FORM) >= 0 ? 1 : 0 } ?? ""
    }
}

/// Never prompts on a terminal: an encrypted file is an error that says so.
package let refusePassword:
    @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) ->
        Int32 = { _, _, _, _ in -1 }

/// Collects what a function writes to a memory BIO, nil when it did not answer 1.
package func withMemoryBIO(_ body: (OpaquePointer) -> Int32) -> String? {
    guard let bio = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(bio) }
    guard body(bio) == 1 else { return nil }
    var data: UnsafeMutablePointer<CChar>?
    let count = playhead_bio_get_mem_data(bio, &data)
    guard count > 0, let data else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: data, count: count), as: UTF8.self)
}
