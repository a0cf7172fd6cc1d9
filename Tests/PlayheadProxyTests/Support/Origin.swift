import Foundation
import Synchronization

/// A server on loopback whose every connection runs a script on a thread of its own.
final class Origin: Sendable {
    private let descriptor: Int32
    let port: Int
    private let state = Mutex((connections: 0, requests: [String](), ended: 0, isStopped: false))

    /// - Parameters:
    ///   - refuses: hold the port, so that nobody else gets it, and refuse every connection.
    ///   - script: what to do on a connection, with its number from 1; errors of the peer end it quietly.
    init(timeout: Double = 60, refuses: Bool = false, _ script: @escaping @Sendable (Wire, Int, Origin) throws -> Void)
        throws
    {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let port = Wire.withLoopback(port: 0) { address, length -> Int? in
            var size = length
            guard bind(descriptor, address, length) == 0, getsockname(descriptor, address, &size) == 0,
                refuses || listen(descriptor, 128) == 0
            else { return nil }
            return Wire.port(in: address)
        }
        guard let port else { throw WireError(description: "origin cannot listen") }
        self.descriptor = descriptor
        self.port = port
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if refuses { return }
        Thread.detachNewThread { [self] in
            while true {
                let accepted = accept(descriptor, nil, nil)
                guard accepted >= 0 else { return }
                let number = self.state.withLock { state -> Int in
                    state.connections += 1
                    return state.connections
                }
                Thread.detachNewThread {
                    let wire = Wire(descriptor: accepted, timeout: timeout)
                    try? script(wire, number, self)
                    wire.close()
                    self.state.withLock { $0.ended += 1 }
                }
            }
        }
    }

    /// An origin that answers every request of every connection with the same octets.
    static func answering(_ response: String) throws -> Origin {
        try Origin { wire, _, origin in
            while true {
                let request = try wire.readRequest()
                origin.note(request)
                try wire.send(response)
            }
        }
    }

    func note(_ request: Message) { self.note([request.startLine] + request.lines) }

    func note(_ lines: [String]) { self.state.withLock { $0.requests.append(lines.joined(separator: "\n")) } }

    /// How many connections were accepted.
    var connections: Int { self.state.withLock { $0.connections } }

    /// How many connections' scripts have ended.
    var ended: Int { self.state.withLock { $0.ended } }

    /// The heads that were noted, lines joined by LF.
    var requests: [String] { self.state.withLock { $0.requests } }

    /// Stops listening; a second call does nothing, since the descriptor may be somebody else's by then.
    func stop() {
        let wasStopped = self.state.withLock { state in
            defer { state.isStopped = true }
            return state.isStopped
        }
        guard !wasStopped else { return }
        shutdown(self.descriptor, Int32(SHUT_RDWR))
        close(self.descriptor)
    }
}
