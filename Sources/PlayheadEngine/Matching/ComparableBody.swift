import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadHTTP

/// A body as it is compared: its value, and the octets for the case that the other side is only a digest.
struct ComparableBody: Sendable {
    let value: BodyValue
    /// The octets without content coding; nil when only a digest is known.
    let source: ByteBuffer?

    /// No body.
    static let none = ComparableBody(value: .none, source: nil)

    private init(value: BodyValue, source: ByteBuffer?) {
        self.value = value
        self.source = source
    }

    /// Reads the body of a request and takes its content coding off.
    init(_ request: IncomingRequest) {
        switch request.body {
        case .none: self = .none
        case .hashed(let sha256, let length):
            self.init(value: length == 0 ? .none : .hashed(sha256: sha256, length: length), source: nil)
        case .octets(let octets):
            let decoded = ComparableBody.decoded(octets, request.headers)
            self.init(value: BodyValue(decoded, contentType: request.headers.first("content-type")), source: decoded)
        }
    }

    /// Reads the body of a recording.
    init(recorded request: RecordedRequest) { self.init(recorded: request.body, request.headers) }

    /// Reads a recorded body with the fields of its message.
    init(recorded body: RecordedBody, _ headers: HeaderList) {
        switch body.content {
        case .none: self = .none
        case .file(let reference):
            self.init(value: .hashed(sha256: reference.sha256, length: reference.length), source: nil)
        case .octets(let octets):
            self.init(value: BodyValue(octets, contentType: headers.first("content-type")), source: octets)
        }
    }

    /// In what a request's body differs from a recorded one.
    func differences(from recorded: ComparableBody, ignoring ignored: IgnoredPlaces) -> [Difference] {
        switch (recorded.value, self.value) {
        case (.hashed(let sha256, let length), .json), (.hashed(let sha256, let length), .form),
            (.hashed(let sha256, let length), .multipart), (.hashed(let sha256, let length), .octets):
            if let source = self.source, ComparableBody.isDigest(sha256, length, of: source) { return [] }
        case (.json, .hashed(let sha256, let length)), (.form, .hashed(let sha256, let length)),
            (.multipart, .hashed(let sha256, let length)), (.octets, .hashed(let sha256, let length)):
            if let source = recorded.source, ComparableBody.isDigest(sha256, length, of: source) { return [] }
        default: break
        }
        return self.value.differences(from: recorded.value, ignoring: ignored)
    }

    private static func isDigest(_ sha256: String, _ length: Int, of source: ByteBuffer) -> Bool {
        source.readableBytes == length && SHA256Digest.text(of: source) == sha256
    }

    /// The octets of a body without its content coding; as sent when the coding is unknown or does not decode.
    static func decoded(_ octets: ByteBuffer, _ headers: HeaderList) -> ByteBuffer {
        let values = headers.values("content-encoding")
        guard !values.isEmpty, let codings = ContentCoding.list(fromHeader: values.joined(separator: ",")),
            !codings.isEmpty
        else { return octets }
        return (try? ContentDecoder.decode(octets, codings: codings)) ?? octets
    }

    /// Whether two bodies are equal as sent, with the coding still on.
    ///
    /// A cassette holds a decoded body: then the names of the codings and the decoded octets are compared.
    static func rawMatches(_ request: IncomingRequest, _ recorded: RecordedRequest) -> Bool {
        var sent = request.body
        if !recorded.body.coding.isEmpty, case .octets(let octets) = sent {
            let codings = request.headers.members(of: "content-encoding").map { asciiLowercased($0) }
            guard codings == recorded.body.coding else { return false }
            sent = .octets(decoded(octets, request.headers))
        }
        switch (recorded.body.content, sent) {
        case (.octets(let a), .octets(let b)):
            return Placeholder.matches(Octets(a.readableBytesView), Octets(b.readableBytesView))
        case (.file(let a), .hashed(let b, let length)): return a.sha256 == b && a.length == length
        case (.file(let a), .octets(let b)): return SHA256Digest.text(of: b) == a.sha256
        case (.none, _), (.octets, .none), (.octets, .hashed), (.file, .none):
            return recorded.body.count == 0 && sent.count == 0
        }
    }
}
