import PlayheadCassette
import PlayheadHTTP

/// What goes wrong between us and an upstream proxy; none of it is the origin's doing, so none is recorded.
extension UpstreamFailure {
    /// The proxy itself cannot be reached.
    static func proxyUnreachable(_ proxy: UpstreamProxy, _ cause: UpstreamFailure) -> UpstreamFailure {
        var failure = cause
        failure.message = "The upstream proxy \(proxy) cannot be used. \(cause.message) Check \(proxy.setting)."
        failure.isRecorded = false
        return failure
    }

    /// It wants a user name and password, or others.
    static func proxyAuthentication(_ proxy: UpstreamProxy) -> UpstreamFailure {
        let advice =
            proxy.credentials == nil
            ? "asks for a user name and a password (407). Give them in \(proxy.setting): "
                + "\(proxy.kind.rawValue)://USER:PASSWORD@\(proxy.address.description)"
            : "does not accept the user name and password (407) that \(proxy.setting) gives"
        return UpstreamFailure(
            kind: .refused, message: "The upstream proxy \(proxy) \(advice).", proxyError: "proxy_configuration_error",
            status: 502, isRecorded: false)
    }

    /// It answered CONNECT with something else than success.
    static func proxyRefused(_ proxy: UpstreamProxy, _ target: Authority, _ head: ResponseHead) -> UpstreamFailure {
        if head.status == 407 { return .proxyAuthentication(proxy) }
        let said = head.reason.isEmpty ? "\(head.status)" : "\(head.status) \(head.reason)"
        var message = "The upstream proxy \(proxy) answered \(said) to CONNECT \(target.description)."
        let (error, status): (String, Int)
        switch head.status {
        case 504: (error, status) = ("connection_timeout", 504)
        case 508: (error, status) = ("proxy_loop_detected", 508)
        case 500...599: (error, status) = ("destination_unavailable", 502)
        default:
            (error, status) = ("http_request_denied", 502)
            message += " If \(target.host) can be reached without it, see `upstream-proxy` in docs/cli.md."
        }
        return UpstreamFailure(
            kind: .unreachable, message: message, proxyError: error, status: status, isRecorded: false)
    }

    /// It answered a SOCKS request with a code other than 0 (RFC 1928 section 6).
    static func proxyRefused(_ proxy: UpstreamProxy, _ target: Authority, socksCode: UInt8) -> UpstreamFailure {
        let (text, error, status): (String, String, Int) =
            switch socksCode {
            case 2: ("does not allow connections to \(target.description)", "destination_ip_prohibited", 502)
            case 3: ("finds no network that leads to \(target.description)", "destination_ip_unroutable", 502)
            case 4: ("cannot reach \(target.description)", "destination_unavailable", 502)
            case 5: ("was refused by \(target.description)", "connection_refused", 502)
            case 6: ("got no answer in time from \(target.description)", "connection_timeout", 504)
            case 7: ("does not know the command CONNECT", "proxy_configuration_error", 502)
            case SOCKSTrail.code:
                ("leads back to this proxy on the way to \(target.description)", "proxy_loop_detected", 508)
            case 8: ("does not take the kind of address of \(target.description)", "destination_unavailable", 502)
            default: ("failed to connect to \(target.description)", "destination_unavailable", 502)
            }
        return UpstreamFailure(
            kind: .unreachable, message: "The upstream proxy \(proxy) \(text) (SOCKS code \(socksCode)).",
            proxyError: error, status: status, isRecorded: false)
    }

    /// It does not speak what the setting says it speaks.
    static func proxyMalformed(_ proxy: UpstreamProxy, _ detail: String) -> UpstreamFailure {
        UpstreamFailure(
            kind: .malformed,
            message: "The upstream proxy \(proxy) did not answer as one: \(detail) Check \(proxy.setting).",
            proxyError: "http_protocol_error", status: 502, isRecorded: false)
    }

    /// It closed the connection instead of an answer.
    static func proxyClosed(_ proxy: UpstreamProxy, _ target: Authority) -> UpstreamFailure {
        UpstreamFailure(
            kind: .closed,
            message: "The upstream proxy \(proxy) closed the connection instead of opening a tunnel to "
                + "\(target.description). Check \(proxy.setting).",
            proxyError: "connection_terminated", status: 502, isRecorded: false)
    }

    /// It did not answer in time.
    static func proxyTimeout(_ proxy: UpstreamProxy, _ target: Authority, seconds: Int) -> UpstreamFailure {
        UpstreamFailure(
            kind: .timeout,
            message: "The upstream proxy \(proxy) opened no tunnel to \(target.description) within \(seconds) s.",
            proxyError: "connection_timeout", status: 504, isRecorded: false)
    }
}
