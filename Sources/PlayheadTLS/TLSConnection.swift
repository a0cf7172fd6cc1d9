internal import COpenSSL
internal import NIOCore

/// Owns one `SSL`.
struct SSLHandle: ~Copyable {
    let pointer: OpaquePointer

    init(context: TLSContextHandle) throws {
        ERR_clear_error()
        guard let pointer = SSL_new(context.pointer) else {
            throw TLSError(
                code: .configuration, message: "no TLS connection can be made: \(OpenSSLErrorStack.drain().summary)")
        }
        self.pointer = pointer
    }

    deinit { SSL_free(pointer) }
}

/// One TLS connection without I/O: ciphertext and plaintext go in and come out of buffers.
///
/// It is confined to one event loop. OpenSSL reaches it through unretained pointers in the BIO and in the SSL's
/// application data; both die with the `SSL` that this object owns.
final class TLSConnection {
    /// The side that we are on.
    enum Role {
        case server(TLSServerContext, fallbackName: String)
        case client(TLSClientContext, host: String, identity: TLSIdentity?, alpn: [String]?)
    }

    /// What a handshake step led to.
    enum HandshakeStep {
        case complete
        case needsPeer
        case failed(TLSError)
    }

    /// Why reading stopped.
    enum ReadStop {
        case needsPeer
        /// The buffer is full and more plaintext may wait.
        case full
        case closedByPeer
        case failed(TLSError)
    }

    /// Output buffers above this size are given back rather than reused, so an idle connection stays small.
    private static let largestReusedOutput = 160 * 1024

    let role: Role
    private let ssl: SSLHandle

    /// Ciphertext from the network that OpenSSL has not taken yet.
    private var inbound = ByteBuffer()

    /// Ciphertext for the network.
    private(set) var outbound = ByteBuffer()

    /// The name in the client's SNI extension, in lower case (server role).
    var requestedServerName: String?

    /// What made a callback give up.
    var callbackFailure: TLSError?

    /// Whether the peer asked for a certificate that we do not have (client role).
    var lacksCertificate = false

    /// Why the peer's certificate was not accepted.
    var rejection: TLSError.Rejection?

    init(role: Role) throws {
        self.role = role
        switch role {
        case .server(let context, _): self.ssl = try SSLHandle(context: context.handle)
        case .client(let context, _, _, _):
            try context.prepare()
            self.ssl = try SSLHandle(context: context.handle)
        }
        guard let bio = CiphertextBIO.make(for: self) else {
            throw TLSError(code: .configuration, message: "no memory for a TLS connection")
        }
        SSL_set_bio(ssl.pointer, bio, bio)
        playhead_ssl_set_app_data(ssl.pointer, Unmanaged.passUnretained(self).toOpaque())
        switch role {
        case .server(let context, _):
            SSL_set_accept_state(ssl.pointer)
            if !context.tickets.grants() { SSL_set_num_tickets(ssl.pointer, 0) }
        case .client(let context, let host, let identity, let alpn):
            SSL_set_connect_state(ssl.pointer)
            try expect(host: host, verifies: context.verifiesPeer)
            if let alpn { try offer(alpn) }
            guard let identity else { break }
            guard identity.install(on: ssl.pointer) == 1 else {
                throw TLSContextHandle.refused("the client certificate \(identity.certificate.subject)")
            }
        }
    }

    /// Offers protocols for this connection in place of those of its policy.
    private func offer(_ alpn: [String]) throws {
        let wire = try TLSContextHandle.wireForm(alpn: alpn)
        // This one function of OpenSSL answers 0 for success.
        guard SSL_set_alpn_protos(ssl.pointer, wire, UInt32(wire.count)) == 0 else {
            throw TLSContextHandle.refused("the ALPN protocols")
        }
    }

    /// The connection that an `SSL` belongs to.
    static func of(_ ssl: OpaquePointer?) -> TLSConnection? {
        guard let ssl, let data = playhead_ssl_get_app_data(ssl) else { return nil }
        return Unmanaged<TLSConnection>.fromOpaque(data).takeUnretainedValue()
    }

    /// Sets SNI and what the certificate must name (RFC 9525): for this connection only, never by host in a cache.
    private func expect(host: String, verifies: Bool) throws {
        let parameters = SSL_get0_param(ssl.pointer)
        // Roots may be given as a single certificate of a server or of an intermediate issuer.
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        X509_VERIFY_PARAM_set_hostflags(
            parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS) | UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        let accepted: Bool
        switch TLSHost(host) {
        case .name(let name):
            // A NUL would cut the name that OpenSSL sees; an empty name would switch the check off.
            guard !name.isEmpty, !name.utf8.contains(0) else {
                throw TLSError(code: .configuration, message: "“\(host)” is no host name that TLS can ask for")
            }
            let named = playhead_ssl_set_tlsext_host_name(ssl.pointer, name) == 1
            accepted = named && (!verifies || X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1)
        case .address(let octets):
            accepted = !verifies || X509_VERIFY_PARAM_set1_ip(parameters, octets, octets.count) == 1
        }
        guard accepted else {
            let reason = OpenSSLErrorStack.drain().summary
            throw TLSError(
                code: .configuration, message: "“\(host)” is no host name that TLS can ask for: \(reason)")
        }
    }

    // MARK: Ciphertext

    /// Adds ciphertext from the network.
    func receive(_ ciphertext: ByteBuffer) {
        if inbound.readableBytes == 0 {
            inbound = ciphertext
        } else {
            inbound.writeImmutableBuffer(ciphertext)
        }
    }

    /// The count of ciphertext octets that wait for OpenSSL.
    var receivedBytes: Int { inbound.readableBytes }

    /// The ciphertext for the network; the caller hands it on and then calls ``recycleOutbound()``.
    func takeOutbound() -> ByteBuffer {
        defer { outbound.moveReaderIndex(to: outbound.writerIndex) }
        return outbound
    }

    /// Gets the output buffer ready for reuse when nobody else holds its memory any more, else starts a new one.
    ///
    /// Ciphertext that was added since it was taken (by a re-entrant call) stays.
    func recycleOutbound() {
        guard outbound.readableBytes == 0 else { return }
        if outbound.capacity > TLSConnection.largestReusedOutput {
            outbound = ByteBuffer()
        } else {
            outbound.clear(minimumCapacity: 0)
        }
    }

    func takeCiphertext(into target: UnsafeMutablePointer<CChar>, limit: Int) -> Int {
        inbound.readWithUnsafeReadableBytes { bytes in
            let count = min(bytes.count, limit)
            guard count > 0, let start = bytes.baseAddress else { return 0 }
            UnsafeMutableRawPointer(target).copyMemory(from: start, byteCount: count)
            return count
        }
    }

    func putCiphertext(_ bytes: UnsafeRawBufferPointer) { outbound.writeBytes(bytes) }

    // MARK: Steps

    /// Goes on with the handshake as far as the received ciphertext allows.
    func handshake() -> HandshakeStep {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl.pointer)
        if result == 1 { return .complete }
        switch SSL_get_error(ssl.pointer, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            if case .server(let context, _) = role, isResumed {
                // Who used a ticket gets the next one.
                context.tickets.noteResumption()
                SSL_set_num_tickets(ssl.pointer, 1)
            }
            return .needsPeer
        default: return .failed(handshakeFailure())
        }
    }

    /// The octets that a buffer for the next ``read(into:)`` should take.
    var readSizeHint: Int { max(receivedBytes + Int(SSL_pending(ssl.pointer)), 512) }

    /// Decrypts what was received into the free space of `buffer`.
    func read(into buffer: inout ByteBuffer) -> ReadStop {
        while true {
            guard buffer.writableBytes > 0 else { return .full }
            ERR_clear_error()
            var result: Int32 = 0
            buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 0) { space in
                result = SSL_read(ssl.pointer, space.baseAddress, Int32(clamping: space.count))
                return max(0, Int(result))
            }
            if result > 0 {
                // A further SSL_read could only say that it wants more.
                if receivedBytes == 0, SSL_pending(ssl.pointer) == 0 { return .needsPeer }
                continue
            }
            switch SSL_get_error(ssl.pointer, result) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsPeer
            case SSL_ERROR_ZERO_RETURN: return .closedByPeer
            default: return .failed(dataFailure())
            }
        }
    }

    /// Encrypts octets into ``outbound``; nil is success.
    func write(_ plaintext: UnsafeRawBufferPointer) -> TLSError? {
        let records = plaintext.count / 16384 + 1
        outbound.reserveCapacity(minimumWritableBytes: plaintext.count + records * 40)
        ERR_clear_error()
        // The BIO takes everything, so a write is never partial.
        let result = SSL_write(ssl.pointer, plaintext.baseAddress, Int32(clamping: plaintext.count))
        return result > 0 ? nil : dataFailure()
    }

    /// Puts a close_notify into ``outbound``.
    func sendCloseNotify() {
        ERR_clear_error()
        SSL_shutdown(ssl.pointer)
        ERR_clear_error()
    }

    // MARK: Facts

    /// The protocol that ALPN agreed on.
    var negotiatedProtocol: String? {
        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl.pointer, &start, &count)
        guard let start, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    /// The version in OpenSSL's spelling, for instance `TLSv1.3`.
    var version: String { String(cString: SSL_get_version(ssl.pointer)) }

    /// Whether the handshake ends with what the peer sends: then nobody waits for what we put into ``outbound`` at its
    /// end, a session ticket (RFC 8446 section 4.6.1).
    var endsWithThePeersFlight: Bool {
        guard case .server = role else { return false }
        return SSL_version(ssl.pointer) >= TLS1_3_VERSION
    }

    /// Whether the handshake resumed a session.
    var isResumed: Bool { SSL_session_reused(ssl.pointer) == 1 }

    /// The result of the verification of the peer's certificate.
    var verifyResult: Int { SSL_get_verify_result(ssl.pointer) }

    /// Calls `body` with the `SSL *`.
    func withSSL<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(ssl.pointer) }
}
