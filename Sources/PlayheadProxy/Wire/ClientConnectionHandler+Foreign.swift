import NIOCore
import PlayheadHTTP

/// Tunnels that turn out not to carry HTTP, and what their users are told to do.
extension ClientConnectionHandler {
    /// The end of a TLS tunnel through which not one octet has come.
    var silentTunnel: Authority? {
        guard case .tunnel(let authority, isSecure: true) = self.stage, self.isTLSFinished, !self.hasServed,
            self.decoder.bufferedBytes == 0, self.opening.map({ $0.readableBytes == 0 }) ?? true
        else { return nil }
        return authority
    }

    /// Clients that pin a certificate look at ours after the handshake, and then go without a word.
    func noteIfSilent() {
        if let authority = self.silentTunnel { self.session.noteSilentTLS(host: authority.host) }
    }

    /// Both sides wait: in most protocols that are not HTTP the server speaks first.
    func refuseSilence(_ seconds: Int) {
        guard let authority = self.silentTunnel else { return }
        self.noteIfSilent()
        self.refuse(
            status: 408,
            "No request came through the tunnel to \(authority.description) within \(seconds) s. If the server speaks "
                + "first there, pass the tunnel through untouched with --tunnel \(authority.host).")
    }

    /// What to do about octets in a tunnel that turned out not to be HTTP; empty once a request was understood.
    func tunnelAdvice(_ error: HTTP1Error) -> String {
        guard case .tunnel(let authority, _) = self.stage, !self.hasServed else { return "" }
        self.session.noteForeignTunnel(host: authority.host, "did not carry HTTP that can be read (\(error.code))")
        return " If the tunnel to \(authority.description) does not carry HTTP, pass it through untouched with "
            + "--tunnel \(authority.host)."
    }
}
