import NIOCore
import PlayheadHTTP

/// The client's end of one exchange: where the answer goes, whatever wire it is on.
///
/// Calls come in message order: any number of `informational`, one `head`, any number of `body`, one `end`;
/// or one `complete`. All happen on the connection's event loop.
protocol ResponseSink: AnyObject {
    /// Whether the client takes more octets; when it turns true again the exchange hears `sinkBecameWritable`.
    var isWritable: Bool { get }

    /// Sends a 1xx response (RFC 9110 section 15.2).
    func informational(_ head: ResponseHead)

    /// Starts the final response; `head` holds end-to-end fields only, framing is added here.
    func head(_ head: ResponseHead, framing: BodyFraming)

    /// Sends a piece of the body; with chunked framing each call is one chunk.
    func body(_ octets: ByteBuffer)

    /// Ends the response.
    func end(trailers: HeaderList)

    /// Sends a whole response that is already in wire form for a keep-alive HTTP/1.1 client.
    func complete(wire: ByteBuffer)

    /// Whether `complete(wire:)` fits this client: HTTP/1.1, keep-alive, not HEAD.
    var takesWireForm: Bool { get }

    /// Answers 101: what `body` and the request's body carry from now on are octets of the other protocol, as they are.
    func switchProtocols(_ head: ResponseHead)

    /// Hands everything that was sent to the network.
    func flush()

    /// Breaks the message off so that the client sees it is not complete.
    func breakOff(reset: Bool)

    /// Stops or resumes the delivery of request body parts.
    func setRequestPaused(_ paused: Bool)

    /// Says that nothing comes for a while because the recording had a pause there: no reason to give the client up.
    func setPaced(_ isWaiting: Bool)
}

extension ResponseSink {
    /// Nothing to do for a sink that gives no client up for being quiet.
    func setPaced(_ isWaiting: Bool) {}

    /// Never called on a wire that does not let a request ask for it.
    func switchProtocols(_ head: ResponseHead) {}
}
