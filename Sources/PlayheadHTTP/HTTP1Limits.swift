/// The bounds within which an HTTP/1 decoder reads; all sizes are in octets.
///
/// They bound the memory that one connection can hold while a message head is incomplete. Bodies have no bound
/// here: they stream.
public struct HTTP1Limits: Sendable, Hashable {
    /// The longest request or status line, without its line end; beyond it a request is answered 414.
    public var startLine: Int
    /// The longest field line, without its line end; beyond it a request is answered 431.
    public var field: Int
    /// The most octets of a whole head, line ends included; beyond it a request is answered 431.
    public var headBytes: Int
    /// The most fields of one head or one trailer section; beyond it a request is answered 431.
    public var fieldCount: Int
    /// The most octets of all chunk extensions of one message together.
    public var chunkExtensionBytes: Int
    /// The most octets of a trailer section, line ends included.
    public var trailerBytes: Int
    /// The most empty lines that are skipped before a request line (RFC 9112 section 2.2).
    public var leadingEmptyLines: Int

    /// Creates limits; the defaults are those of `standard`.
    public init(
        startLine: Int = 16 * 1024, field: Int = 64 * 1024, headBytes: Int = 256 * 1024, fieldCount: Int = 500,
        chunkExtensionBytes: Int = 16 * 1024, trailerBytes: Int = 64 * 1024, leadingEmptyLines: Int = 4
    ) {
        self.startLine = startLine
        self.field = field
        self.headBytes = headBytes
        self.fieldCount = fieldCount
        self.chunkExtensionBytes = chunkExtensionBytes
        self.trailerBytes = trailerBytes
        self.leadingEmptyLines = leadingEmptyLines
    }

    /// 16 KiB per start line, 64 KiB per field, 256 KiB and 500 fields per head, 64 KiB of trailers,
    /// 16 KiB of chunk extensions, 4 empty lines.
    public static let standard = HTTP1Limits()
}
