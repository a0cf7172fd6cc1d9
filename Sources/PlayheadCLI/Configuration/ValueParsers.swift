import PlayheadEngine
import PlayheadHTTP
import PlayheadProxy

/// The texts of option values, as `docs/cli.md` writes them.
enum ValueParsers {
    /// `8s`, `500ms`, `10m`, `2h`, `30d`, or plain seconds; in milliseconds.
    static func milliseconds(_ text: String) -> Int64? {
        let units: [(String, Int64)] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)]
        for (suffix, factor) in units where text.hasSuffix(suffix) {
            guard let count = Int64(text.dropLast(suffix.count)), count >= 0 else { continue }
            let (product, overflow) = count.multipliedReportingOverflow(by: factor)
            return overflow ? nil : product
        }
        guard let seconds = Int64(text), seconds >= 0, seconds < 1 << 40 else { return nil }
        return seconds * 1000
    }

    /// A duration of at least a second, or `none`, which is nil.
    static func idle(_ text: String) -> Int64?? {
        if text == "none" { return .some(nil) }
        guard let time = Self.milliseconds(text), (1000...(1 << 52)).contains(time) else { return nil }
        return .some(time)
    }

    /// `HOST:PORT`, `[V6]:PORT`, `:PORT` (loopback) or `PORT` (loopback).
    static func listenAddress(_ text: String) -> ListenAddress? {
        if let port = Int(text.hasPrefix(":") ? text.dropFirst() : text[...]) {
            return (0...65535).contains(port) ? ListenAddress(host: "127.0.0.1", port: port) : nil
        }
        guard let (host, port) = try? RequestTarget.parseAuthority(text), let port else {
            // Port 0 is no port of the wire, but a fine wish.
            guard text.hasSuffix(":0"), let (host, _) = try? RequestTarget.parseAuthority(text.dropLast(2) + ":1")
            else {
                return nil
            }
            return ListenAddress(host: host, port: 0)
        }
        return ListenAddress(host: host, port: port)
    }

    /// `PORT=URL` or `HOST:PORT=URL`.
    static func reverse(_ text: String) -> ReverseListener? {
        let sides = text.split(separator: "=", maxSplits: 1)
        guard sides.count == 2, let address = Self.listenAddress(String(sides[0])),
            let origin = ReverseOrigin(String(sides[1]))
        else { return nil }
        return ReverseListener(address: address, origin: origin)
    }

    /// A host name or address without a port, in lower case.
    static func hostName(_ text: String) -> String? {
        guard let (host, port) = try? RequestTarget.parseAuthority(text), port == nil else { return nil }
        return host
    }

    /// `HOST[:PORT]=ADDR[:PORT]`; the asked host may be `*.example.com` or `*`.
    static func mapping(_ text: String) -> HostMapping? {
        let sides = text.split(separator: "=", maxSplits: 1)
        guard sides.count == 2, let asked = try? HostPattern(String(sides[0])),
            let to = try? RequestTarget.parseAuthority(String(sides[1]))
        else { return nil }
        return HostMapping(asked, targetHost: to.host, targetPort: to.port)
    }

    /// `status:N` or `close`.
    static func missAction(_ text: String) -> MissAction? {
        if text == "close" { return .close }
        guard text.hasPrefix("status:"), let status = Int(text.dropFirst(7)), (200...599).contains(status) else {
            return nil
        }
        return .status(status)
    }

    /// `auto`, `always`, `off`, or a word for no, as `http2: false` in a file is.
    static func http2Use(_ text: String) -> HTTP2Use? {
        ["false", "no", "0"].contains(text) ? .off : HTTP2Use(rawValue: text)
    }
}
