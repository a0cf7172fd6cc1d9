import NIOCore

/// What stands behind the client's side of an open WebSocket: the origin, or a recording.
protocol WebSocketEnd: AnyObject {
    /// Octets of frames, as they come.
    func clientOctets(_ octets: ByteBuffer)

    /// The client sends nothing more.
    func clientEnded()

    /// The client's connection is gone.
    func clientGone()

    /// The client takes more octets again.
    func sinkBecameWritable()

    /// Called about once a second while the proxy is being stopped.
    func drain()

    /// The proxy stops now: what was seen is kept.
    func stop()
}
