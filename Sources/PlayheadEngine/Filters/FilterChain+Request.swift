import NIOCore
import PlayheadContent
import PlayheadHTTP

extension FilterChain {
    /// The request as it is compared: changed in the same way as what is stored.
    public func filtered(_ request: IncomingRequest) -> IncomingRequest {
        guard !self.leavesRequests else { return request }
        let old = request.url
        var url = self.filtered(url: old)
        var result = request
        result.headers = self.hostField(FilterChain.filtered(request.headers, self.requestHeaders), from: old, to: url)
        if case .octets(let octets) = request.body {
            let plain = ComparableBody.decoded(octets, request.headers)
            var text = Octets(plain.readableBytesView)
            let edits = self.requestBody.edits(in: text, contentType: request.headers.first("content-type"))
            text = TextEdit.apply(edits, to: text)
            let more = self.textEdits(in: text)
            text = TextEdit.apply(more, to: text)
            if !edits.isEmpty || !more.isEmpty {
                result.body = .octets(ByteBuffer(bytes: text))
                if result.headers.contains("content-length") { result.headers.set("Content-Length", "\(text.count)") }
            }
        }
        let edits = self.textEdits(in: Octets(url.utf8))
        if !edits.isEmpty { url = displayText(TextEdit.apply(edits, to: Octets(url.utf8))) }
        result.headers = result.headers.replacingValues { _, value in
            let edits = self.textEdits(in: value)
            return edits.isEmpty ? nil : TextEdit.apply(edits, to: value)
        }
        guard url != old, let parts = try? URLParts(url) else { return result }
        result.origin = parts.origin
        result.pathAndQuery = parts.pathAndQuery
        return result
    }

    /// A URL with another host, path and query.
    func filtered(url: String) -> String {
        guard !self.hosts.isEmpty || !self.path.isEmpty || !self.query.isEmpty, let parts = try? URLParts(url) else {
            return url
        }
        let userinfo = parts.userinfo.map { "\($0)@" } ?? ""
        let (path, query) = RecordedTarget.split(parts.pathAndQuery)
        let scheme = String(url.prefix { $0 != ":" })
        let origin = self.filtered(parts.origin).description.drop { $0 != ":" }.dropFirst(3)
        var result = "\(scheme)://\(userinfo)\(origin)\(self.filtered(path: displayText(path)))"
        guard !query.isEmpty else { return result }
        let text = FilterChain.filtered(query: displayText(query), self.query)
        if !text.isEmpty { result += "?" + text }
        return result
    }

    /// `Host` with the host that the URL has now.
    func hostField(_ headers: HeaderList, from old: String, to new: String) -> HeaderList {
        guard !self.hosts.isEmpty, let before = try? URLParts(old).origin, let after = try? URLParts(new).origin,
            before != after, headers.contains("host")
        else { return headers }
        var result = headers
        result.set("Host", String(after.description.drop { $0 != ":" }.dropFirst(3)))
        return result
    }

    private func filtered(_ origin: Origin) -> Origin {
        guard let rule = self.hosts.first(where: { $0.pattern.matches(host: origin.host, port: origin.port) }),
            let new = try? URLParts("\(origin.scheme)://\(rule.host)/").origin
        else { return origin }
        let hasPort = rule.host.last != "]" && rule.host.split(separator: "]").last?.contains(":") == true
        return hasPort ? new : Origin(scheme: origin.scheme, host: new.host, port: origin.port)
    }

    private func filtered(path: String) -> String {
        var path = path
        for rule in self.path where !rule.name.isEmpty {
            path = path.replacing(rule.name, with: rule.change.value(for: rule.name) ?? "")
        }
        return path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
    }

    private static func filtered(query: String, _ rules: [Rule]) -> String {
        guard !rules.isEmpty else { return query }
        var form = FormBody(query)
        form.apply(rules)
        return form.text
    }
}

extension FormBody {
    /// Replaces values and removes pairs by name.
    mutating func apply(_ rules: [FilterChain.Rule]) {
        let changes = Dictionary(rules.map { ($0.name, $0.change) }) { $1 }
        self.pairs = self.pairs.compactMap { pair in
            guard let change = changes[pair.name] else { return pair }
            guard let value = change.value(for: pair.value) else { return nil }
            var pair = pair
            pair.setValue(value)
            return pair
        }
    }
}
