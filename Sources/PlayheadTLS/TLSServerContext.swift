internal import COpenSSL

/// The policy under which connections are accepted: versions, protocols, tickets, and where certificates come from.
///
/// One `SSL_CTX` serves all names; the certificate is set for each connection from the name that the client asked
/// for. Sessions are resumed by stateless tickets, and only under the name they were issued for.
public final class TLSServerContext: Sendable {
    let handle: TLSContextHandle

    /// The protocols in wire form, most wanted first.
    let alpn: [UInt8]

    /// Which connections get a session ticket.
    let tickets = TicketRation()

    /// Gives the certificate for a name.
    let identity: @Sendable (_ name: String) throws -> TLSIdentity

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - alpn: the protocols to agree on, most wanted first; without overlap the connection goes on without ALPN.
    ///   - identity: the certificate for a name; called on the connection's event loop in the middle of a handshake.
    public init(alpn: [String], identity: @escaping @Sendable (_ name: String) throws -> TLSIdentity) throws {
        self.handle = try TLSContextHandle(isServer: true)
        self.alpn = try TLSContextHandle.wireForm(alpn: alpn)
        self.identity = identity

        let context = handle.pointer
        // AES-128 first: on a loopback hop it buys speed and costs nothing; ChaCha20 for clients that put it first.
        SSL_CTX_set_options(context, PLAYHEAD_OP_CIPHER_SERVER_PREFERENCE | PLAYHEAD_OP_PRIORITIZE_CHACHA)
        let suites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
        guard SSL_CTX_set_ciphersuites(context, suites) == 1,
            SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM+AES128:ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES") == 1
        else { throw TLSContextHandle.refused("the cipher suites") }
        SSL_CTX_set_num_tickets(context, 1)
        guard SSL_CTX_set_session_id_context(context, "playhead", 8) == 1 else {
            throw TLSContextHandle.refused("the session context")
        }

        // The callbacks find the connection, which holds this context, through the SSL's application data.
        SSL_CTX_set_client_hello_cb(
            context,
            { ssl, alert, _ in
                guard let connection = TLSConnection.of(ssl) else { return SSL_CLIENT_HELLO_ERROR }
                if connection.clientHello() { return SSL_CLIENT_HELLO_SUCCESS }
                alert?.pointee = SSL_AD_UNRECOGNIZED_NAME
                return SSL_CLIENT_HELLO_ERROR
            }, nil)
        if !self.alpn.isEmpty {
            SSL_CTX_set_alpn_select_cb(
                context,
                { ssl, chosen, length, offered, count, _ in
                    guard let chosen, let length, let offered, let connection = TLSConnection.of(ssl) else {
                        return SSL_TLSEXT_ERR_NOACK
                    }
                    let offer = UnsafeBufferPointer(start: offered, count: Int(count))
                    guard let range = connection.chooseProtocol(from: offer) else { return SSL_TLSEXT_ERR_NOACK }
                    chosen.pointee = offered + range.lowerBound
                    length.pointee = UInt8(range.count)
                    return SSL_TLSEXT_ERR_OK
                }, nil)
        }
    }

    /// The first of our protocols that the client offers, as a range of its offer (RFC 7301 section 3.2).
    static func overlap(ours: [UInt8], offer: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        var own = 0
        while own < ours.count {
            let length = Int(ours[own])
            let name = ours[(own + 1)..<(own + 1 + length)]
            var theirs = 0
            while theirs < offer.count {
                let start = theirs + 1
                let end = start + Int(offer[theirs])
                guard end <= offer.count else { break }
                if offer[start..<end].elementsEqual(name) { return start..<end }
                theirs = end
            }
            own += 1 + length
        }
        return nil
    }
}
