import PlayheadCassette
import PlayheadTLS

/// Why an origin gave no complete response: one sentence for people and the RFC 9209 error type for machines.
struct UpstreamFailure: Error, Sendable, Equatable {
    /// What the cassette calls it.
    var kind: RecordedFailure.Kind
    /// What happened and what to do.
    var message: String
    /// The `error` parameter of `Proxy-Status` (RFC 9209 section 2.3).
    var proxyError: String
    /// The status that the client gets if no response has begun.
    var status: Int
    /// Whether it is a decision of ours rather than something that happened on the network.
    var isRefusal = false
    /// Whether the origin said that it did nothing of the request, so that any method may be repeated.
    var isUnprocessed = false
    /// Whether it says something about the origin; decisions of ours and the troubles of a proxy are not recorded.
    var isRecorded = true

    static func dns(_ host: String, _ reason: NameFailure) -> UpstreamFailure {
        let message =
            reason.isTemporary
            ? "The name \(host) cannot be looked up: no name server answers (\(reason.text)). Check the network's DNS."
            : "The name \(host) does not resolve (\(reason.text)). Check the spelling or the network's DNS, or give it an "
                + "address with --map \(host)=ADDRESS."
        return UpstreamFailure(kind: .dns, message: message, proxyError: "dns_error", status: 502)
    }

    static func dnsTimeout(_ host: String, seconds: Int) -> UpstreamFailure {
        UpstreamFailure(
            kind: .dns,
            message:
                "The name \(host) was not resolved within \(seconds) s (--connect-timeout). Check the network's DNS.",
            proxyError: "dns_timeout", status: 504)
    }

    static func refused(_ address: String) -> UpstreamFailure {
        UpstreamFailure(
            kind: .refused, message: "Connection to \(address) was refused: nothing listens there.",
            proxyError: "connection_refused", status: 502)
    }

    /// The trouble is ours, so it is not recorded.
    static func noDescriptors(_ address: String) -> UpstreamFailure {
        UpstreamFailure(
            kind: .unreachable,
            message: "No file descriptors are left for a connection to \(address). Raise the limit of open files with "
                + "`ulimit -n`, or open fewer connections at once.",
            proxyError: "connection_limit_reached", status: 503, isRecorded: false)
    }

    static func unreachable(_ address: String, _ detail: String) -> UpstreamFailure {
        UpstreamFailure(
            kind: .unreachable, message: "\(address) cannot be reached (\(detail)).",
            proxyError: "destination_ip_unroutable", status: 502)
    }

    static func connectTimeout(_ address: String, seconds: Int) -> UpstreamFailure {
        UpstreamFailure(
            kind: .timeout, message: "\(address) did not accept a connection within \(seconds) s (--connect-timeout).",
            proxyError: "connection_timeout", status: 504)
    }

    static func responseTimeout(_ address: String, seconds: Int) -> UpstreamFailure {
        UpstreamFailure(
            kind: .timeout, message: "\(address) sent nothing for \(seconds) s (--response-timeout, --idle-timeout).",
            proxyError: "http_response_timeout", status: 504)
    }

    static func certificate(_ host: String, _ error: TLSError) -> UpstreamFailure {
        // Of an expired certificate, or one for another name, a trusted issuer makes no good one.
        let advice =
            error.rejection?.isUntrustedIssuer == false
            ? "--upstream-ca does not help with that: give the server a certificate that is valid for \(host), or "
            : "Trust its issuer with --upstream-ca FILE, or "
        return UpstreamFailure(
            kind: .tls,
            message: "The certificate of \(host) was rejected: \(error.rejection?.reason ?? error.message). "
                + "\(advice)accept it unverified with --insecure-upstream \(host).",
            proxyError: "tls_certificate_error", status: 502)
    }

    static func tls(_ host: String, _ detail: String, alert: String?) -> UpstreamFailure {
        UpstreamFailure(
            kind: .tls, message: "The TLS handshake with \(host) failed: \(detail).",
            proxyError: alert == nil ? "tls_protocol_error" : "tls_alert_received", status: 502)
    }

    static func tlsTimeout(_ detail: String) -> UpstreamFailure {
        UpstreamFailure(
            kind: .timeout, message: "Connected, but \(detail) (--tls-timeout).", proxyError: "connection_timeout",
            status: 504)
    }

    static func clientCertificate(_ host: String, _ detail: String) -> UpstreamFailure {
        UpstreamFailure(
            kind: .tls,
            message:
                "The TLS handshake with \(host) failed: \(detail). Give it one with --client-cert \(host)=CERT,KEY.",
            proxyError: "tls_alert_received", status: 502)
    }

    static func closed(_ address: String) -> UpstreamFailure {
        UpstreamFailure(
            kind: .closed, message: "\(address) closed the connection before its response was complete.",
            proxyError: "connection_terminated", status: 502)
    }

    static func reset(_ address: String) -> UpstreamFailure {
        UpstreamFailure(
            kind: .reset, message: "\(address) reset the connection before its response was complete.",
            proxyError: "connection_terminated", status: 502)
    }

    /// RST_STREAM over HTTP/2; `code` is the origin's word for why.
    static func streamReset(_ address: String, _ code: String, isUnprocessed: Bool = false) -> UpstreamFailure {
        UpstreamFailure(
            kind: .reset, message: "\(address) reset the stream of HTTP/2 before its response was complete (\(code)).",
            proxyError: "connection_terminated", status: 502, isUnprocessed: isUnprocessed)
    }

    /// An origin that asks for HTTP/1.1 did nothing with the request (RFC 9113 section 7); it is sent again when it was
    /// kept.
    static func http1Required(_ address: String) -> UpstreamFailure {
        UpstreamFailure(
            kind: .reset,
            message: "\(address) takes this request over HTTP/1.1 alone (HTTP_1_1_REQUIRED), and its body of more than "
                + "64 KiB was not kept to be sent again. HTTP/1.1 is spoken with it from now on: repeat the request, or "
                + "use --http2 off.",
            proxyError: "http_upgrade_failed", status: 502, isUnprocessed: true, isRecorded: false)
    }

    static func malformed(_ address: String, _ detail: String) -> UpstreamFailure {
        UpstreamFailure(
            kind: .malformed, message: "\(address) did not answer in valid HTTP: \(detail)",
            proxyError: "http_protocol_error", status: 502)
    }

    static let clientLeft = UpstreamFailure(
        kind: .clientLeft, message: "The client left before the end of the stream.",
        proxyError: "connection_terminated", status: 502)

    static let stopped = UpstreamFailure(
        kind: .stopped, message: "playhead was stopped before the end of the stream.",
        proxyError: "connection_terminated", status: 502)

    static func ownAddress(_ address: String) -> UpstreamFailure {
        UpstreamFailure(
            kind: .refused, message: "\(address) is this proxy itself; it does not connect to its own listeners.",
            proxyError: "proxy_loop_detected", status: 508, isRefusal: true, isRecorded: false)
    }

    static func metadata(_ address: String) -> UpstreamFailure {
        UpstreamFailure(
            kind: .refused,
            message: "\(address) is a cloud metadata address, refused off loopback. Allow it with --allow-metadata.",
            proxyError: "destination_ip_prohibited", status: 403, isRefusal: true, isRecorded: false)
    }
}
