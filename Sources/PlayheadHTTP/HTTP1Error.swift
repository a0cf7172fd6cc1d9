/// Why a message was refused, and how to say so to the peer.
///
/// A decoder that threw stays failed: after a framing error nothing further on the connection can be trusted, so
/// answer once and close.
public struct HTTP1Error: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong with the message.
    public var code: Code
    /// The status that answers a refused request: 400, 414, 431, 501 or 505; 502 when a response was refused.
    public var status: Int
    /// One sentence for the client that names what was wrong; it never quotes the message.
    public var reason: String

    /// Creates the error of a refused request.
    package init(_ code: Code) {
        self.code = code
        self.status = code.status
        self.reason = code.reason
    }

    /// The same fault seen in a response: the client did nothing wrong, so the proxy answers 502.
    var inResponse: HTTP1Error {
        var copy = self
        copy.status = 502
        return copy
    }

    /// The code and the sentence.
    public var description: String { "\(self.code): \(self.reason)" }

    /// What is wrong with a message; open for new members.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: UInt8, Sendable {
            case notHTTP, badRequestLine, badMethod, badTarget, badVersion, unsupportedVersion, badStatusLine,
                startLineTooLong, fieldTooLong, headTooLong, tooManyFields, trailersTooLong,
                tooManyEmptyLines, bareLineFeed, bareCarriageReturn, controlOctet, foldedField,
                indentedFirstField, spaceBeforeColon, emptyFieldName, badFieldName, missingColon, missingHost,
                repeatedHost, badHost, badContentLength, repeatedContentLength, lengthWithTransferEncoding,
                transferEncodingInHTTP10, badTransferEncoding, unsupportedTransferEncoding,
                connectWithContent, contentNotAllowed, badChunkSize, badChunkEnd, badChunkExtension,
                chunkExtensionsTooLong, unexpectedEnd, badTargetForm, unsupportedScheme, fragmentInTarget,
                badAuthority, badPort, missingPort
        }

        private var base: Base

        private init(_ base: Base) { self.base = base }

        /// The first octet cannot begin an HTTP/1 message.
        public static let notHTTP = Code(.notHTTP)
        /// The request line is not `method SP target SP version`.
        public static let badRequestLine = Code(.badRequestLine)
        /// The method is not a token.
        public static let badMethod = Code(.badMethod)
        /// The request target is empty or holds octets that it must not.
        public static let badTarget = Code(.badTarget)
        /// The version is not `HTTP/` digit `.` digit.
        public static let badVersion = Code(.badVersion)
        /// The version is neither 1.0 nor 1.1.
        public static let unsupportedVersion = Code(.unsupportedVersion)
        /// The status line is not `version SP 3digits [SP reason]`.
        public static let badStatusLine = Code(.badStatusLine)
        /// The start line is over its limit.
        public static let startLineTooLong = Code(.startLineTooLong)
        /// A field line is over its limit.
        public static let fieldTooLong = Code(.fieldTooLong)
        /// The head is over its limit.
        public static let headTooLong = Code(.headTooLong)
        /// There are more fields than the limit.
        public static let tooManyFields = Code(.tooManyFields)
        /// The trailer section is over its limit.
        public static let trailersTooLong = Code(.trailersTooLong)
        /// Too many empty lines came before the request line.
        public static let tooManyEmptyLines = Code(.tooManyEmptyLines)
        /// A line ends with LF alone.
        public static let bareLineFeed = Code(.bareLineFeed)
        /// A CR stands alone.
        public static let bareCarriageReturn = Code(.bareCarriageReturn)
        /// A field value or reason phrase holds a NUL or another control octet.
        public static let controlOctet = Code(.controlOctet)
        /// A field is folded over two lines (obs-fold).
        public static let foldedField = Code(.foldedField)
        /// White space stands before the first field.
        public static let indentedFirstField = Code(.indentedFirstField)
        /// White space stands between a field name and its colon.
        public static let spaceBeforeColon = Code(.spaceBeforeColon)
        /// A field has no name.
        public static let emptyFieldName = Code(.emptyFieldName)
        /// A field name is not a token.
        public static let badFieldName = Code(.badFieldName)
        /// A field line has no colon.
        public static let missingColon = Code(.missingColon)
        /// An HTTP/1.1 request has no Host.
        public static let missingHost = Code(.missingHost)
        /// There is more than one Host.
        public static let repeatedHost = Code(.repeatedHost)
        /// The Host value is not a host with an optional port.
        public static let badHost = Code(.badHost)
        /// Content-Length is not a number.
        public static let badContentLength = Code(.badContentLength)
        /// There is more than one Content-Length.
        public static let repeatedContentLength = Code(.repeatedContentLength)
        /// Both Content-Length and Transfer-Encoding are there.
        public static let lengthWithTransferEncoding = Code(.lengthWithTransferEncoding)
        /// A 1.0 message has Transfer-Encoding.
        public static let transferEncodingInHTTP10 = Code(.transferEncodingInHTTP10)
        /// Transfer-Encoding is not exactly `chunked`.
        public static let badTransferEncoding = Code(.badTransferEncoding)
        /// Transfer-Encoding names a coding beside `chunked`.
        public static let unsupportedTransferEncoding = Code(.unsupportedTransferEncoding)
        /// A CONNECT request announces a body.
        public static let connectWithContent = Code(.connectWithContent)
        /// A response that has no content announces some.
        public static let contentNotAllowed = Code(.contentNotAllowed)
        /// A chunk size is not hexadecimal digits, or over 63 bits.
        public static let badChunkSize = Code(.badChunkSize)
        /// The data of a chunk is not followed by CR LF.
        public static let badChunkEnd = Code(.badChunkEnd)
        /// A chunk extension holds a control octet.
        public static let badChunkExtension = Code(.badChunkExtension)
        /// The chunk extensions are over their limit.
        public static let chunkExtensionsTooLong = Code(.chunkExtensionsTooLong)
        /// The connection ended in the middle of a message.
        public static let unexpectedEnd = Code(.unexpectedEnd)
        /// The target form does not fit the method.
        public static let badTargetForm = Code(.badTargetForm)
        /// The scheme is neither http nor https.
        public static let unsupportedScheme = Code(.unsupportedScheme)
        /// The target has a fragment.
        public static let fragmentInTarget = Code(.fragmentInTarget)
        /// The host is empty or not a legal name or address.
        public static let badAuthority = Code(.badAuthority)
        /// The port is not a number from 1 to 65535.
        public static let badPort = Code(.badPort)
        /// CONNECT names no port.
        public static let missingPort = Code(.missingPort)

        /// The name of the code, such as `repeatedHost`.
        public var description: String { "\(self.base)" }

        /// The status that answers a request with this fault.
        var status: Int {
            switch self.base {
            case .startLineTooLong: 414
            case .fieldTooLong, .headTooLong, .tooManyFields, .trailersTooLong: 431
            case .unsupportedTransferEncoding: 501
            case .unsupportedVersion: 505
            default: 400
            }
        }

        /// The sentence for the client.
        var reason: String {
            switch self.base {
            case .notHTTP:
                "The connection does not speak HTTP/1: the first octet cannot begin a message; use the protocol "
                    + "and port meant for it."
            case .badRequestLine: "The request line is not `METHOD TARGET HTTP/1.1` with single spaces."
            case .badMethod: "The method is empty or holds a character that a token must not have."
            case .badTarget:
                "The request target is empty or holds a control character or octets that are not UTF-8; "
                    + "percent-encode them."
            case .badVersion:
                "The protocol version is missing or misspelt; it is `HTTP/1.1` or `HTTP/1.0`, in capitals."
            case .unsupportedVersion: "The protocol version is neither HTTP/1.0 nor HTTP/1.1."
            case .badStatusLine:
                "The status line is not `HTTP/1.1 200 Reason` with a status of three digits from 100 to 999."
            case .startLineTooLong: "The request line or status line is longer than the limit."
            case .fieldTooLong: "A header field is longer than the limit."
            case .headTooLong: "The head of the message is longer than the limit."
            case .tooManyFields: "The message has more header fields than the limit."
            case .trailersTooLong: "The trailer section is longer than the limit."
            case .tooManyEmptyLines: "Too many empty lines came before the request line."
            case .bareLineFeed: "A line ends with a bare LF; lines end with CR LF."
            case .bareCarriageReturn: "A line holds a CR that is not followed by LF."
            case .controlOctet: "A header value holds a NUL or another control character."
            case .foldedField: "A header field is folded over several lines (obs-fold); write it on one line."
            case .indentedFirstField: "The first header line begins with white space."
            case .spaceBeforeColon: "White space stands between a header name and its colon."
            case .emptyFieldName: "A header line begins with a colon: the name is missing."
            case .badFieldName: "A header name holds a character that a token must not have."
            case .missingColon: "A header line has no colon."
            case .missingHost: "The request has no Host header; HTTP/1.1 requires one."
            case .repeatedHost: "The request has more than one Host header."
            case .badHost: "The Host header is not a host name or address with an optional port."
            case .badContentLength: "Content-Length is not one plain decimal number that fits 63 bits."
            case .repeatedContentLength: "Content-Length is given more than once."
            case .lengthWithTransferEncoding: "The message has both Content-Length and Transfer-Encoding."
            case .transferEncodingInHTTP10: "An HTTP/1.0 message must not have Transfer-Encoding."
            case .badTransferEncoding: "Transfer-Encoding is not exactly `chunked`."
            case .unsupportedTransferEncoding:
                "Transfer-Encoding names a coding that is not supported; only `chunked` is."
            case .connectWithContent: "A CONNECT request must not have a body."
            case .contentNotAllowed: "A 205 response must not have content."
            case .badChunkSize: "A chunk size is not plain hexadecimal digits that fit 63 bits."
            case .badChunkEnd: "The data of a chunk is not followed by CR LF."
            case .badChunkExtension: "A chunk extension holds a control character."
            case .chunkExtensionsTooLong: "The chunk extensions of the message are longer than the limit."
            case .unexpectedEnd: "The connection ended in the middle of a message."
            case .badTargetForm:
                "The form of the request target does not fit the method: use /path, http://host/path, host:port "
                    + "with CONNECT, or * with OPTIONS."
            case .unsupportedScheme: "The scheme of the request target is neither http nor https."
            case .fragmentInTarget: "The request target has a fragment (#), which is never sent."
            case .badAuthority: "The host of the request target is empty or not a legal host name or address."
            case .badPort: "The port is not a number from 1 to 65535."
            case .missingPort: "CONNECT needs a port: `CONNECT host:443 HTTP/1.1`."
            }
        }
    }
}
