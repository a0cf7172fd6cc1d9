/// What went wrong in TLS, as one sentence that a person can act on.
///
/// Two errors are equal in kind when their codes are equal; the text may differ between OpenSSL versions.
public struct TLSError: Error, Sendable, CustomStringConvertible {
    /// The kind of a TLS error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case handshakeFailed, closedInHandshake, timedOut, certificateRejected, peerAlert
            case truncated, unexpected, configuration, closed
        }

        private let kind: Kind

        /// The two sides could not agree, or a side broke the protocol, before the handshake was done.
        public static let handshakeFailed = Code(kind: .handshakeFailed)
        /// The peer closed the connection in the middle of the handshake without saying why.
        public static let closedInHandshake = Code(kind: .closedInHandshake)
        /// The handshake did not finish in time.
        public static let timedOut = Code(kind: .timedOut)
        /// The peer's certificate failed our verification.
        public static let certificateRejected = Code(kind: .certificateRejected)
        /// The peer sent a fatal alert; see ``TLSError/alert``.
        public static let peerAlert = Code(kind: .peerAlert)
        /// The transport ended without a close_notify: what was received may be cut short (RFC 8446 section 6.1).
        public static let truncated = Code(kind: .truncated)
        /// The peer broke the protocol after the handshake, or OpenSSL failed inside.
        public static let unexpected = Code(kind: .unexpected)
        /// A context could not be made from what it was given, or no certificate could be had for a name.
        public static let configuration = Code(kind: .configuration)
        /// The connection was closed before the operation was done.
        public static let closed = Code(kind: .closed)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// The kind of the error.
    public var code: Code

    /// One sentence: what happened, with what OpenSSL said about it.
    public var message: String

    /// The description of the fatal alert that the peer sent, in lower case, for instance `unknown ca`.
    public var alert: String?

    /// Whether the peer asked for a client certificate and got none, which is most likely why it gave up.
    public var isMissingClientCertificate: Bool

    /// For ``Code/certificateRejected``: why.
    public var rejection: Rejection?

    /// Why a certificate was not accepted.
    public struct Rejection: Sendable, Equatable {
        /// What OpenSSL says, and the part of the certificate that shows it.
        public var reason: String
        /// Whether it would be accepted if its issuer, or itself, were among the trusted ones.
        public var isUntrustedIssuer: Bool
    }

    /// Creates an error.
    public init(
        code: Code, message: String, alert: String? = nil, isMissingClientCertificate: Bool = false,
        rejection: Rejection? = nil
    ) {
        self.isMissingClientCertificate = isMissingClientCertificate
        self.rejection = rejection
        self.code = code
        self.message = message
        self.alert = alert
    }

    /// The message.
    public var description: String { message }
}
