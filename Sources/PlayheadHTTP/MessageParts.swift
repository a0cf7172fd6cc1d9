public import NIOCore

/// What a request decoder hands out, in order: one head, any number of body parts, one end.
public enum RequestPart: Sendable, Equatable {
    /// The head, after its framing fields were found good, and how the body is framed.
    case head(RequestHead, BodyFraming)
    /// A non-empty piece of the body; `endsChunk` marks the last piece of a chunk of a chunked body.
    case body(ByteBuffer, endsChunk: Bool)
    /// The message is complete; the fields are the trailers of a chunked body.
    case end(HeaderList)
}

/// What a response decoder hands out: any number of informational heads, one head, body parts, one end.
public enum ResponsePart: Sendable, Equatable {
    /// A 1xx head other than 101; the final response is still to come.
    case informational(ResponseHead)
    /// The final head (101 counts as final), and how the body is framed.
    case head(ResponseHead, BodyFraming)
    /// A non-empty piece of the body; `endsChunk` marks the last piece of a chunk of a chunked body.
    case body(ByteBuffer, endsChunk: Bool)
    /// The message is complete; the fields are the trailers of a chunked body.
    case end(HeaderList)
}
