internal import COpenSSL

/// The errors that OpenSSL left behind on this thread, taken off its queue.
///
/// The queue belongs to the thread, so all connections of an event loop share it: it is cleared before every call
/// whose result is looked at, and drained after a failure.
package struct OpenSSLErrorStack: Sendable {
    /// The reasons, oldest first, which is the order in which they were raised.
    package private(set) var reasons: [String] = []

    /// The description of a fatal alert of the peer, when one is among the errors.
    package private(set) var alert: String?

    /// Takes all errors off this thread's queue.
    package static func drain() -> OpenSSLErrorStack {
        var stack = OpenSSLErrorStack()
        var data: UnsafePointer<CChar>?
        var flags: Int32 = 0
        while true {
            let code = ERR_get_error_all(nil, nil, nil, &data, &flags)
            guard code != 0 else { return stack }
            if playhead_err_is_peer_alert(code) == 1 {
                let text = String(cString: SSL_alert_desc_string_long(playhead_err_alert_number(code))).lowercased()
                stack.alert = text
                stack.add("the peer sent the alert “\(text)”")
                continue
            }
            guard let text = ERR_reason_error_string(code) else {
                stack.add("error \(String(code, radix: 16))")
                continue
            }
            var reason = String(cString: text)
            if flags & ERR_TXT_STRING != 0, let data, data.pointee != 0 { reason += " (\(String(cString: data)))" }
            stack.add(reason)
        }
    }

    private mutating func add(_ reason: String) {
        if !reasons.contains(reason) { reasons.append(reason) }
    }

    /// The reasons as the end of a sentence.
    package var summary: String { reasons.isEmpty ? "OpenSSL gave no reason" : reasons.joined(separator: "; ") }
}
