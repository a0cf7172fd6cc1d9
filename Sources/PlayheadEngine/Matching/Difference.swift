/// One part in which a request differs from a recording.
public struct Difference: Sendable, Equatable {
    /// Which part of a request it is.
    public enum Part: Sendable, Hashable {
        /// The method.
        case method
        /// The absolute URL as text.
        case uri
        /// The scheme.
        case scheme
        /// The host.
        case host
        /// The port.
        case port
        /// The path.
        case path
        /// A query name.
        case query(String)
        /// A header name, in lower case.
        case header(String)
        /// A place in a JSON body, as a JSONPath.
        case json(String)
        /// A field of a form body.
        case form(String)
        /// A part of a multipart body, by name.
        case multipart(String)
        /// The body as text or octets.
        case body
        /// The octets as sent.
        case rawBody
        /// A registered matcher.
        case custom(String)
        /// A message of a WebSocket: its number, and a JSONPath where one is known.
        case message(String)
    }

    /// The part.
    public let part: Part
    /// The text in the recording, with secrets masked; nil when the recording does not have the part.
    public let recorded: String?
    /// The text in the request, with secrets masked; nil when the request does not have the part.
    public let requested: String?
    /// How far apart the two are: 0 to 99.
    let distance: Int

    init(_ part: Part, recorded: String?, requested: String?) {
        self.part = part
        self.recorded = recorded
        self.requested = requested
        self.distance = Difference.distance(recorded, requested)
    }

    init(_ part: Part, recorded: String?, requested: String?, distance: Int) {
        self.part = part
        self.recorded = recorded
        self.requested = requested
        self.distance = distance
    }

    /// `query date`, `header accept`, `body $.user.id`.
    public var name: String {
        switch self.part {
        case .method: "method"
        case .uri: "uri"
        case .scheme: "scheme"
        case .host: "host"
        case .port: "port"
        case .path: "path"
        case .query(let name): "query \(name)"
        case .header(let name): "header \(name)"
        case .json(let path): "body \(path)"
        case .form(let name): "body form \(name)"
        case .multipart(let name): "body part \(name)"
        case .body: "body"
        case .rawBody: "raw body"
        case .custom(let name): "matcher \(name)"
        case .message(let place): "message \(place)"
        }
    }

    /// Of two texts, the share that is not common at the beginning and the end.
    private static func distance(_ left: String?, _ right: String?) -> Int {
        guard let left, let right else { return 99 }
        let a = Octets(left.utf8.prefix(1024))
        let b = Octets(right.utf8.prefix(1024))
        let longer = max(a.count, b.count)
        guard longer > 0 else { return 0 }
        let head = zip(a, b).prefix { $0 == $1 }.count
        let tail = zip(a.dropFirst(head).reversed(), b.dropFirst(head).reversed()).prefix { $0 == $1 }.count
        return (longer - head - tail) * 99 / longer
    }
}
