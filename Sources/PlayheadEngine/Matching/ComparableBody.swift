import NIOCore
import PlayheadCassette
import PlayheadHTTP

/// A body in the form in which it is compared: decoded, and read by its type.
enum ComparableBody: Sendable {
    /// There is no body, or an empty one.
    case none
    /// Text or binary data.
    case octets(Octets)
    /// Only a digest is known.
    case hashed(sha256: String, length: Int)

    /// Reads the body of a request.
    init(_ request: IncomingRequest) {
        switch request.body {
        case .none: self = .none
        case .octets(let octets): self = octets.readableBytes == 0 ? .none : .octets(Octets(octets.readableBytesView))
        case .hashed(let sha256, let length): self = .hashed(sha256: sha256, length: length)
        }
    }

    /// Reads the body of a recording.
    init(recorded request: RecordedRequest) {
        switch request.body.content {
        case .none: self = .none
        case .octets(let octets): self = octets.readableBytes == 0 ? .none : .octets(Octets(octets.readableBytesView))
        case .file(let reference): self = .hashed(sha256: reference.sha256, length: reference.length)
        }
    }

    /// In what a request's body differs from a recorded one.
    func differences(from recorded: ComparableBody, ignoring ignored: IgnoredPlaces) -> [Difference] {
        switch (recorded, self) {
        case (.none, .none): []
        case (.octets(let a), .octets(let b)):
            Placeholder.matches(a, b)
                ? [] : [Difference(.body, recorded: displayText(a.prefix(200)), requested: displayText(b.prefix(200)))]
        case (.hashed(let a, _), .hashed(let b, _)) where a == b: []
        default: [Difference(.body, recorded: nil, requested: nil)]
        }
    }

    /// Whether two bodies are equal as sent.
    static func rawMatches(_ request: IncomingRequest, _ recorded: RecordedRequest) -> Bool {
        switch (recorded.body.content, request.body) {
        case (.none, .none): true
        case (.octets(let a), .octets(let b)): a == b
        case (.octets(let a), .none): a.readableBytes == 0
        case (.none, .octets(let b)): b.readableBytes == 0
        case (.file(let a), .hashed(let b, _)): a.sha256 == b
        default: false
        }
    }

    /// A hash that is equal for equal bodies.
    func fingerprint(ignoring ignored: IgnoredPlaces, wild: WildPlaces) -> UInt64 {
        switch self {
        case .none: 0
        case .octets(let octets): wild.isText ? 1 : KeyHash.of(octets)
        case .hashed(let sha256, _): KeyHash.of(sha256.utf8)
        }
    }
}
