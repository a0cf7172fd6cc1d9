import NIOHPACK
import PlayheadHTTP

/// A message of HTTP/2 that breaks the rules of RFC 9113 section 8: a stream error, and nothing is forwarded.
struct MalformedMessage: Error, Equatable {
    var reason: String
}

/// Field sections of HTTP/2 as messages, and back (RFC 9113 section 8).
///
/// NIOHTTP2 has judged the pseudo-header fields, the names, and the fields that belong to a connection; what else the
/// next hop might read in another way is judged here.
enum HTTP2Fields {
    /// The most fields of one section, as in HTTP/1.
    static let countLimit = HTTP1Limits.standard.fieldCount

    /// A request head as the rest of the proxy knows it: `Host` in front, cookie crumbs joined.
    ///
    /// The target has the absolute form outside of a tunnel.
    static func request(
        _ fields: HPACKHeaders, endsStream: Bool, through door: Door
    ) throws(MalformedMessage) -> (head: RequestHead, framing: BodyFraming) {
        guard fields.count <= Self.countLimit else { throw MalformedMessage(reason: "too many fields") }
        var method = ""
        var scheme = ""
        var path = ""
        var tunnelled: String?
        var authority: String?
        var hasHost = false
        var cookie: (index: Int, value: String)?
        var length: Int?
        var list = HeaderList()
        for (name, value, _) in fields {
            try Self.check(name, value)
            switch name {
            case ":method": method = value
            case ":scheme": scheme = value
            case ":path": path = value
            case ":protocol": tunnelled = value
            case ":authority":
                authority = value
                list.append(name: "host", value: value)
            case "host":
                guard !hasHost, authority.map({ $0.lowercased() == value.lowercased() }) ?? true else {
                    throw MalformedMessage(reason: "host and :authority differ")
                }
                hasHost = true
                if authority == nil { list.append(name: name, value: value) }
            case "cookie":
                if cookie == nil {
                    cookie = (list.count, value)
                    list.append(name: name, value: value)
                } else {
                    cookie?.value += "; " + value
                }
            case "content-length":
                let isRepeat = length != nil
                length = try Self.length(value, earlier: length)
                if !isRepeat { list.append(name: name, value: value) }
            default: list.append(name: name, value: value)
            }
        }
        if let cookie { list.setValue(at: cookie.index, cookie.value) }
        guard FieldSyntax.isToken(method) else { throw MalformedMessage(reason: "the method is no token") }
        let host = authority ?? list.first("host")
        if let host, (try? RequestTarget.parseAuthority(host)) == nil {
            throw MalformedMessage(reason: "the authority is none")
        }
        if let tunnelled {
            try ExtendedConnect.rewrite(&list, as: tunnelled, length: length, endsStream: endsStream)
            return (
                RequestHead(
                    method: "GET", target: try Self.target("GET", scheme, host, path, door), version: .http2,
                    headers: list), .none
            )
        }
        let framing: BodyFraming = endsStream ? .none : length.map { .length($0) } ?? .chunked
        return (
            RequestHead(
                method: method, target: try Self.target(method, scheme, host, path, door), version: .http2,
                headers: list), framing
        )
    }

    private static func target(
        _ method: String, _ scheme: String, _ host: String?, _ path: String, _ door: Door
    ) throws(MalformedMessage) -> String {
        if method == "CONNECT" { return host ?? "" }
        guard path.hasPrefix("/") || (path == "*" && method == "OPTIONS") else {
            throw MalformedMessage(reason: "the path does not begin with a slash")
        }
        switch door {
        case .tunnel, .reverse: return path
        case .proxy:
            guard let host else { throw MalformedMessage(reason: "there is no authority") }
            return "\(scheme)://\(host)\(path == "*" ? "" : path)"
        }
    }

    /// A response head, interim or final.
    static func response(
        _ fields: HPACKHeaders, toHead: Bool
    ) throws(MalformedMessage) -> (head: ResponseHead, framing: BodyFraming) {
        guard fields.count <= Self.countLimit else { throw MalformedMessage(reason: "too many fields") }
        var status = 0
        var length: Int?
        var list = HeaderList()
        for (name, value, _) in fields {
            try Self.check(name, value)
            switch name {
            case ":status":
                guard value.utf8.count == 3, let number = Self.decimal(value), number >= 100 else {
                    throw MalformedMessage(reason: "the status is no three-digit number")
                }
                status = number
            case "content-length":
                let isRepeat = length != nil
                length = try Self.length(value, earlier: length)
                if !isRepeat { list.append(name: name, value: value) }
            default: list.append(name: name, value: value)
            }
        }
        // RFC 9113 section 8.6: there is no Switching Protocols.
        guard status >= 100, status != 101 else { throw MalformedMessage(reason: "the status is \(status)") }
        // An empty body where one may be is one without chunks: HTTP/1 clients must see its end.
        let hasNoBody = toHead || status < 200 || status == 204 || status == 304
        return (
            ResponseHead(status: status, reason: "", version: .http2, headers: list),
            hasNoBody ? .none : length.map { .length($0) } ?? .chunked
        )
    }

    /// Trailers, without what must not stand there.
    static func trailers(_ fields: HPACKHeaders) throws(MalformedMessage) -> HeaderList {
        guard fields.count <= Self.countLimit else { throw MalformedMessage(reason: "too many fields") }
        var list = HeaderList()
        for (name, value, _) in fields {
            try Self.check(name, value)
            list.append(name: name, value: value)
        }
        HopByHop.removeFromTrailers(&list)
        return list
    }

    // MARK: outbound

    static func fields(of head: ResponseHead) -> HPACKHeaders {
        var fields = HPACKHeaders()
        fields.reserveCapacity(head.headers.count + 1)
        fields.add(name: ":status", value: "\((100...999).contains(head.status) ? head.status : 500)")
        Self.append(head.headers, to: &fields)
        return fields
    }

    /// `Host` becomes `:authority`; hop-by-hop fields have been taken off before.
    static func fields(of head: RequestHead, scheme: String, authority: String) -> HPACKHeaders {
        var fields = HPACKHeaders()
        fields.reserveCapacity(head.headers.count + 4)
        fields.add(name: ":method", value: head.method)
        fields.add(name: ":scheme", value: scheme)
        fields.add(name: ":authority", value: head.headers.first("host") ?? authority)
        fields.add(name: ":path", value: head.target)
        Self.append(head.headers, to: &fields, leavingOut: "host")
        return fields
    }

    static func fields(of trailers: HeaderList) -> HPACKHeaders {
        var fields = HPACKHeaders()
        Self.append(trailers, to: &fields)
        return fields
    }

    private static func append(_ headers: HeaderList, to fields: inout HPACKHeaders, leavingOut: String? = nil) {
        for index in headers.indices {
            let name = headers.name(at: index).lowercased()
            switch name {
            // RFC 9113 section 8.2.2; a peer refuses the whole message for one of them.
            case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", leavingOut: continue
            default: fields.add(name: name, value: headers.value(at: index))
            }
        }
    }

    // MARK: grammar

    private static func check(_ name: String, _ value: String) throws(MalformedMessage) {
        guard FieldSyntax.isFieldValue(value) else { throw MalformedMessage(reason: "\(name) holds a control octet") }
        // RFC 9113 section 8.2.1.
        if let first = value.utf8.first, let last = value.utf8.last, Self.isSpace(first) || Self.isSpace(last) {
            throw MalformedMessage(reason: "\(name) begins or ends with white space")
        }
    }

    private static func isSpace(_ octet: UInt8) -> Bool { octet == 0x20 || octet == 0x09 }

    private static func length(_ value: String, earlier: Int?) throws(MalformedMessage) -> Int {
        guard let length = Self.decimal(value), earlier == nil || earlier == length else {
            throw MalformedMessage(reason: "content-length is no number")
        }
        return length
    }

    /// Digits only: no sign, which `Int` would take.
    private static func decimal(_ text: String) -> Int? {
        text.utf8.allSatisfy { $0 &- 0x30 < 10 } ? Int(text) : nil
    }
}
