import NIOCore
import NIOHTTP2
import PlayheadHTTP

extension ClientConnectionHandler {
    /// Takes octets of HTTP: of HTTP/2, if the first ones are its preface (prior knowledge, RFC 9113 section 3.3).
    func receive(_ octets: ByteBuffer) {
        guard var opening = self.opening else {
            self.decoder.append(octets)
            return self.pump()
        }
        opening.writeImmutableBuffer(octets)
        switch HTTP2Preface.match(opening) {
        case .whole: self.becomeHTTP2(opening)
        case .partial:
            self.opening = opening
            if self.wait == .idle { self.expect(.head) }
        case .none: self.receiveHTTP1(opening)
        }
    }

    /// What came is not the preface: HTTP/1 goes on with it.
    func receiveHTTP1(_ octets: ByteBuffer) {
        self.opening = nil
        self.decoder.append(octets)
        self.pump()
    }

    /// Hands the connection, and what it sent first, to the handlers of HTTP/2.
    func becomeHTTP2(_ octets: ByteBuffer? = nil) {
        guard let context = self.context, let door = self.door else { return }
        self.flushIfNeeded()
        self.stage = .closed
        let connection = HTTP2ClientConnection(
            loop: self.loop, door: door, session: self.session, lease: self.lease, trail: self.trail)
        let frames = HTTP2Limits.serverHandler(delegate: connection)
        do {
            try context.pipeline.syncOperations.addHandler(frames, position: .after(self))
            try context.pipeline.syncOperations.addHandler(connection, position: .after(frames))
        } catch {
            return context.close(promise: nil)
        }
        if let octets { context.fireChannelRead(self.wrapInboundOut(octets)) }
        if self.heldRead { context.read() }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
