internal import COpenSSL

/// Owns one `SSL_CTX`, with the settings that both roles share.
///
/// Sendable because the context is only configured inside `init` of its one owner; afterwards it is used to create
/// connections, which OpenSSL allows from any thread (openssl-threads(7): SSL_CTX is safe to share for SSL_new).
final class TLSContextHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Makes a context for TLS 1.2 and 1.3 that does not depend on what `openssl.cnf` says about versions and levels.
    init(isServer: Bool) throws {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw TLSError(
                code: .configuration, message: "no TLS context can be made: \(OpenSSLErrorStack.drain().summary)")
        }
        self.pointer = pointer
        guard playhead_ctx_set_min_proto(pointer, TLS1_2_VERSION) == 1,
            playhead_ctx_set_max_proto(pointer, TLS1_3_VERSION) == 1
        else { throw TLSContextHandle.refused("the TLS versions") }
        SSL_CTX_set_security_level(pointer, 2)
        // A FIN without close_notify is a truncation, whatever openssl.cnf says.
        SSL_CTX_clear_options(pointer, PLAYHEAD_OP_IGNORE_UNEXPECTED_EOF)
        SSL_CTX_set_options(pointer, PLAYHEAD_OP_NO_RENEGOTIATION | PLAYHEAD_OP_NO_COMPRESSION)
        let mode =
            Int(SSL_MODE_RELEASE_BUFFERS) | Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER) | Int(SSL_MODE_NO_AUTO_CHAIN)
            | Int(SSL_MODE_AUTO_RETRY)
        playhead_ctx_set_mode(pointer, mode)
        playhead_ctx_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
    }

    deinit { SSL_CTX_free(pointer) }

    /// The error for a setting that OpenSSL did not take.
    static func refused(_ what: String) -> TLSError {
        TLSError(
            code: .configuration, message: "OpenSSL does not take \(what): \(OpenSSLErrorStack.drain().summary)")
    }

    /// Protocol names in the wire form of RFC 7301: each with its length in front.
    static func wireForm(alpn: [String]) throws -> [UInt8] {
        var wire: [UInt8] = []
        for name in alpn {
            let octets = Array(name.utf8)
            guard (1...255).contains(octets.count) else {
                throw TLSError(
                    code: .configuration,
                    message: "the ALPN protocol name “\(name)” must have 1 to 255 octets (RFC 7301 section 3.1)")
            }
            wire.append(UInt8(octets.count))
            wire += octets
        }
        return wire
    }
}
