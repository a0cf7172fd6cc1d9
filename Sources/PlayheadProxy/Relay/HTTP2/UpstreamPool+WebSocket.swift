/// Ways for WebSockets to origins that may speak HTTP/2.
extension UpstreamPool {
    /// Hands out a stream where the origin's SETTINGS offer WebSockets over HTTP/2 (RFC 8441 section 3), else a
    /// connection in HTTP/1.1 of the WebSocket's own.
    func acquireForWebSocket(_ target: UpstreamTarget, _ completion: @escaping Completion) {
        switch self.origins.wayForWebSocket(to: target) {
        case .shared(let connection): completion(.success(connection.stream()))
        case .ask(let connection): self.ask(connection, completion)
        case .wait:
            self.origins.wait(for: target) { failure in
                if let failure { return completion(.failure(failure)) }
                self.acquireForWebSocket(target, completion)
            }
        case .dial:
            self.origins.beginDial(target)
            self.dial(target) { result in
                guard case .success(let exchange) = result else { return completion(result) }
                if let stream = exchange as? HTTP2OriginStream { return self.ask(stream.connection, completion) }
                guard !target.isSecure, let connection = exchange as? UpstreamConnection else {
                    return completion(result)
                }
                // Through a proxy this connection is for requests in absolute form.
                self.release(connection)
                self.acquireInHTTP1(target, completion)
            }
        case .http1: self.acquireInHTTP1(target, completion)
        }
    }

    private func ask(_ connection: HTTP2OriginConnection, _ completion: @escaping Completion) {
        connection.whenSettingsCome { takesWebSockets in
            guard takesWebSockets else { return self.acquireInHTTP1(connection.target, completion) }
            completion(.success(connection.stream()))
        }
    }

    private func acquireInHTTP1(_ target: UpstreamTarget, _ completion: @escaping Completion) {
        self.acquireHTTP1(target.inHTTP1(forWebSocket: true), isIdempotent: true, fresh: true, completion)
    }
}
