import PlayheadHTTP

/// What the client gets when an origin gave no response: the same while recording and at replay.
enum FailureResponse {
    static func make(_ failure: UpstreamFailure) -> OwnResponse {
        .error(status: failure.status, reason: failure.message, proxyStatus: "error=\(failure.proxyError)")
    }
}
