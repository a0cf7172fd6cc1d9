import NIOCore
import PlayheadHTTP

/// A tunnel asked of an HTTP proxy with CONNECT (RFC 9110 section 9.3.6).
struct ConnectNegotiation: TunnelNegotiation {
    private let proxy: UpstreamProxy
    private let target: Authority
    private let fields: [(name: String, value: String)]
    private var decoder = HTTP1ResponseDecoder()
    private var interimCount = 0

    /// - Parameter fields: what the proxy is told beside Host and Proxy-Authorization.
    init(proxy: UpstreamProxy, target: Authority, fields: [(name: String, value: String)] = []) {
        self.proxy = proxy
        self.target = target
        self.fields = fields
    }

    mutating func start() -> ByteBuffer {
        self.decoder.expect(method: "CONNECT")
        var headers = HeaderList([("Host", self.target.description)])
        if let authorization = self.proxy.authorization {
            headers.append(name: "Proxy-Authorization", value: authorization)
        }
        for field in self.fields { headers.append(name: field.name, value: field.value) }
        var octets = ByteBuffer()
        HTTP1Encoder.write(
            RequestHead(method: "CONNECT", target: self.target.description, headers: headers), into: &octets)
        return octets
    }

    mutating func receive(_ octets: ByteBuffer) -> TunnelStep {
        self.decoder.append(octets)
        do {
            while let part = try self.decoder.next() {
                switch part {
                case .informational:
                    self.interimCount += 1
                    guard self.interimCount <= 32 else {
                        return .failed(.proxyMalformed(self.proxy, "more than 32 interim responses."))
                    }
                case .head(let head, _):
                    guard (200..<300).contains(head.status) else {
                        return .failed(.proxyRefused(self.proxy, self.target, head))
                    }
                    return .open(self.decoder.takeRemaining())
                case .body, .end: break
                }
            }
            return .wait
        } catch {
            return .failed(.proxyMalformed(self.proxy, error.reason))
        }
    }
}
