/// How long a body is: RFC 9112 section 6.3, in its strict reading.
///
/// Where the RFC leaves a choice between repairing and refusing, a request is refused: whatever we repair, the next
/// hop may read in another way, and the difference is a smuggled request.
enum Framing {
    /// Judges a request head, Host included (RFC 9112 section 3.2).
    static func ofRequest(
        _ request: RequestHead, _ landmarks: FieldSection.Landmarks
    ) throws(HTTP1Error) -> BodyFraming {
        if landmarks.hasRepeatedHost { throw HTTP1Error(.repeatedHost) }
        if let host = landmarks.host {
            guard request.headers.withValue(at: host, { Authority.isValid($0) }) else { throw HTTP1Error(.badHost) }
        } else if request.version == .http1_1 {
            throw HTTP1Error(.missingHost)
        }
        let framing = try Self.ofMessage(request.headers, request.version, landmarks, repeatsMayAgree: false)
        guard request.method == "CONNECT" else { return framing ?? .none }
        // RFC 9110 section 9.3.6: content in CONNECT has no meaning, so two readers may frame it differently.
        guard framing == nil || framing == .length(0) else { throw HTTP1Error(.connectWithContent) }
        return .none
    }

    /// Judges a response head; identical repeats of Content-Length are merged into the first field.
    static func ofResponse(
        _ response: inout ResponseHead, _ landmarks: FieldSection.Landmarks, to expectation: ResponseExpectation
    ) throws(HTTP1Error) -> BodyFraming {
        let status = response.status
        if expectation == .connect, (200..<300).contains(status) {
            // RFC 9110 section 9.3.6: both framing fields are to be ignored; the tunnel begins.
            return .none
        }
        let framing = try Self.ofMessage(response.headers, response.version, landmarks, repeatsMayAgree: true)
        if landmarks.hasRepeatedLength { Self.mergeLengths(&response.headers) }
        if expectation == .head || status < 200 || status == 204 || status == 304 { return .none }
        if status == 205 {
            if case .length(let length) = framing, length > 0 { throw HTTP1Error(.contentNotAllowed) }
            return framing ?? .none
        }
        return framing ?? .untilClose
    }

    private static func ofMessage(
        _ headers: HeaderList, _ version: HTTPVersion, _ landmarks: FieldSection.Landmarks, repeatsMayAgree: Bool
    ) throws(HTTP1Error) -> BodyFraming? {
        if let transferEncoding = landmarks.transferEncoding {
            if version != .http1_1 { throw HTTP1Error(.transferEncodingInHTTP10) }
            if landmarks.contentLength != nil { throw HTTP1Error(.lengthWithTransferEncoding) }
            let isChunked = headers.withValue(at: transferEncoding) { equalsIgnoringCase($0, "chunked") }
            if isChunked, !landmarks.hasRepeatedTransferEncoding { return .chunked }
            throw HTTP1Error(Self.faultOfTransferEncoding(headers))
        }
        guard let contentLength = landmarks.contentLength else { return nil }
        if landmarks.hasRepeatedLength {
            guard repeatsMayAgree, Self.lengthsAgree(headers) else { throw HTTP1Error(.repeatedContentLength) }
        }
        guard let length = headers.withValue(at: contentLength, { Self.decimal($0) }) else {
            let isList = headers.withValue(at: contentLength) { $0.contains(UInt8(ascii: ",")) }
            throw HTTP1Error(isList ? .repeatedContentLength : .badContentLength)
        }
        return .length(length)
    }

    /// A decimal number of digits only, or nil; also nil when it does not fit.
    static func decimal(_ octets: UnsafeRawBufferPointer) -> Int? {
        guard !octets.isEmpty else { return nil }
        var value = 0
        for octet in octets {
            guard Octets.isDigit(octet) else { return nil }
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = product.addingReportingOverflow(Int(octet & 0x0F))
            if overflows || overflowsToo { return nil }
            value = sum
        }
        return value
    }

    private static func lengthsAgree(_ headers: HeaderList) -> Bool {
        let values = headers.values("content-length")
        return values.allSatisfy { $0 == values.first }
    }

    private static func mergeLengths(_ headers: inout HeaderList) {
        let first = headers.firstIndex(of: "content-length")
        headers.removeAll { list, index in index != first && list.isName(at: index, "content-length") }
    }

    /// 501 for other codings in front of one final `chunked`, which a server may simply not know; 400 for the rest.
    private static func faultOfTransferEncoding(_ headers: HeaderList) -> HTTP1Error.Code {
        let members = headers.values("transfer-encoding").flatMap { value in
            value.split(separator: ",", omittingEmptySubsequences: false).map { trimmed($0).lowercased() }
        }
        let areTokens = members.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { Octets.isToken($0) } }
        let isChunkedLast = members.last == "chunked" && members.firstIndex(of: "chunked") == members.count - 1
        return areTokens && isChunkedLast ? .unsupportedTransferEncoding : .badTransferEncoding
    }
}
