internal import COpenSSL

/// Turns what OpenSSL left behind into one readable error.
extension TLSConnection {
    /// The other side, for messages.
    var peer: String {
        switch role {
        case .server(_, let fallbackName): "the client that asked for “\(requestedServerName ?? fallbackName)”"
        case .client(_, let host, _, _): "“\(host)”"
        }
    }

    /// The error after a failed handshake step.
    func handshakeFailure() -> TLSError {
        let stack = OpenSSLErrorStack.drain()
        if let callbackFailure { return callbackFailure }
        if let rejection {
            return TLSError(
                code: .certificateRejected,
                message: "the certificate of \(peer) is not accepted: \(rejection.reason)", rejection: rejection)
        }
        if let alert = stack.alert { return refused(alert: alert) }
        return TLSError(
            code: .handshakeFailed, message: "the TLS handshake with \(peer) failed: \(stack.summary)")
    }

    /// The error after a failed read or write.
    func dataFailure() -> TLSError {
        let stack = OpenSSLErrorStack.drain()
        if let alert = stack.alert { return refused(alert: alert) }
        return TLSError(
            code: .unexpected, message: "the TLS connection with \(peer) broke: \(stack.summary)")
    }

    private func refused(alert: String) -> TLSError {
        var message = "\(peer) ended the TLS connection with the alert “\(alert)”"
        if case .server = role, ["unknown ca", "bad certificate", "certificate unknown"].contains(alert) {
            message += ": it does not trust the CA that issued our certificate"
        }
        if lacksCertificate { message += ": it asks for a client certificate" }
        if case .client(_, _, .some, _) = role, TLSConnection.certificateAlerts.contains(alert) {
            message += ": it does not accept our client certificate"
        }
        return TLSError(
            code: .peerAlert, message: message, alert: alert, isMissingClientCertificate: lacksCertificate)
    }

    private static let certificateAlerts = [
        "unknown ca", "bad certificate", "certificate unknown", "certificate expired", "certificate revoked",
        "unsupported certificate",
    ]

    /// The error when the transport ends in the middle of the handshake.
    var closedInHandshake: TLSError {
        TLSError(
            code: .closedInHandshake,
            message: "\(peer) closed the connection in the middle of the TLS handshake without an alert")
    }

    /// The error when the transport ends without a close_notify.
    var truncated: TLSError {
        TLSError(
            code: .truncated,
            message: "\(peer) ended the connection without close_notify: what was received may be cut short")
    }
}
