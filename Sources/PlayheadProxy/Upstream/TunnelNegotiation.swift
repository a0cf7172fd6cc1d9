import NIOCore

/// How a proxy is asked for a tunnel: octets in, octets out, no I/O.
protocol TunnelNegotiation {
    /// What is sent first.
    mutating func start() -> ByteBuffer

    /// Takes what the proxy sent.
    mutating func receive(_ octets: ByteBuffer) -> TunnelStep
}

/// What comes next in a negotiation.
enum TunnelStep {
    /// More octets are needed.
    case wait
    /// These are sent, and an answer is waited for.
    case send(ByteBuffer)
    /// The tunnel stands; these octets of the origin came with the proxy's last word.
    case open(ByteBuffer)
    case failed(UpstreamFailure)
}
