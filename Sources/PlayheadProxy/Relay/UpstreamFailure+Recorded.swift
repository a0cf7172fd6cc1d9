import PlayheadCassette

extension UpstreamFailure {
    /// A recorded failure, to be answered as it was when it happened.
    init(recorded failure: RecordedFailure) {
        let error = failure.error ?? Self.usualError(of: failure.kind)
        self.init(
            kind: failure.kind, message: failure.message, proxyError: error,
            status: error.hasSuffix("_timeout") ? 504 : 502)
    }

    /// The failure for the cassette.
    func recorded(partial: RecordedResponse?) -> RecordedFailure {
        RecordedFailure(
            kind: self.kind, message: self.message,
            error: self.proxyError == Self.usualError(of: self.kind) ? nil : self.proxyError, partial: partial)
    }

    /// The type of RFC 9209 that a recording of a kind means when it names none.
    private static func usualError(of kind: RecordedFailure.Kind) -> String {
        switch kind {
        case .dns: "dns_error"
        case .refused: "connection_refused"
        case .unreachable: "destination_ip_unroutable"
        case .tls: "tls_certificate_error"
        case .timeout: "connection_timeout"
        case .reset, .closed, .clientLeft, .stopped: "connection_terminated"
        case .malformed: "http_protocol_error"
        }
    }
}
