import NIOCore
import PlayheadHTTP

/// The way of one request to an origin, whatever is spoken there: the other end of an `UpstreamReceiver`.
protocol UpstreamExchange: AnyObject {
    /// Whether the connection has served a request before, so that it may turn out to be dead.
    var isReused: Bool { get }

    /// Whether more of the request is taken; when it turns true again the receiver hears `upstreamBecameWritable`.
    var isWritable: Bool { get }

    /// Starts the request; the first call.
    func send(_ head: RequestHead, framing: BodyFraming, to receiver: any UpstreamReceiver)

    func send(body octets: ByteBuffer)

    func sendEnd(trailers: HeaderList)

    func flush()

    /// Stops or resumes reading the response.
    func setPaused(_ paused: Bool)

    /// Lets another receiver hear what comes next; while a 101 is delivered.
    func handOver(to receiver: any UpstreamReceiver)

    /// Ends an open WebSocket after its goodbyes: what was sent still arrives, the receiver hears nothing more.
    func leave()

    /// Gives the exchange up: the origin is told as its protocol allows, the receiver hears nothing more.
    func abandon()
}

/// Who waits for the answer on an upstream connection.
protocol UpstreamReceiver: AnyObject {
    func upstreamInformational(_ head: ResponseHead)
    /// Asked at a 101: why it is no answer to the request, or nil; then `upstreamHead` follows, and all octets after it
    /// come as body until the connection ends.
    func switchProblem(_ head: ResponseHead) -> String?
    func upstreamHead(_ head: ResponseHead, _ framing: BodyFraming)
    func upstreamBody(_ octets: ByteBuffer, endsChunk: Bool)
    /// The response is complete; the connection is no longer the receiver's.
    func upstreamEnd(_ trailers: HeaderList)
    /// All that one network read brought was delivered: a good time to flush.
    func upstreamReadComplete()
    func upstreamBecameWritable()
    /// Nothing more comes; `beforeResponse` tells that not one octet of a response had come.
    func upstreamFailed(_ failure: UpstreamFailure, beforeResponse: Bool)
}

extension UpstreamReceiver {
    /// Nobody asked.
    func switchProblem(_ head: ResponseHead) -> String? { "it switched protocols without being asked." }
}
