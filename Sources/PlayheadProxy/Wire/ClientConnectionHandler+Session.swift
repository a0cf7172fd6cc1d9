import PlayheadHTTP

extension ClientConnectionHandler {
    /// The session a request belongs to; nil while its cassette is being opened, after which the request goes on.
    func session(for head: RequestHead, _ framing: BodyFraming) throws -> CassetteSession? {
        if let lease = self.lease { return lease.session }
        guard let name = try SessionName.read(head.headers) else { return self.session }
        if let open = self.core.sessions.session(name) { return open }
        self.isOpeningSession = true
        self.loop.openSession(name) { result in
            self.isOpeningSession = false
            guard self.context != nil else { return }
            switch result {
            case .success:
                self.begin(head, framing)
                self.resumeReading()
            case .failure(let error):
                let refusal = SessionRefusal(name, error)
                self.refuse(status: refusal.status, refusal.reason)
            }
            self.flushIfNeeded()
        }
        return nil
    }
}
