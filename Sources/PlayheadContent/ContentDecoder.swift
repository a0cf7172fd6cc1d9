public import NIOCore

/// Takes content codings off a whole body, within bounds.
///
/// A body that is cut off, has octets after its end, or grows like a bomb is an error: the caller then keeps the coded
/// octets, so nothing that was seen is lost.
public enum ContentDecoder {
    /// The default bound of decoded octets: 64 MiB.
    public static let defaultLimit = 64 << 20
    /// The default bound of decoded octets per coded octet.
    public static let defaultRatioLimit = 1000
    /// Below this size a high ratio is harmless: 1 MiB.
    static let ratioFloor = 1 << 20
    /// More codings on one body than any real server applies.
    static let codingLimit = 4

    /// The octets without the given codings, which are in the order they were applied.
    ///
    /// `limit` bounds the octets of each step; `ratioLimit` bounds them by the coded length, once above 1 MiB.
    public static func decode(
        _ bytes: ByteBuffer, codings: [ContentCoding], limit: Int = defaultLimit, ratioLimit: Int = defaultRatioLimit
    ) throws(ContentError) -> ByteBuffer {
        guard codings.count <= codingLimit else {
            throw ContentError(
                .tooLarge, "\(codings.count) content codings on one body; at most \(codingLimit) are read")
        }
        let (product, overflow) = bytes.readableBytes.multipliedReportingOverflow(by: ratioLimit)
        let bound = overflow ? limit : min(limit, max(product, ratioFloor))
        var current = bytes
        for coding in codings.reversed() {
            var sink = BoundedSink(limit: bound, coding: coding)
            switch coding {
            case .gzip: try ZlibCodec.inflateGzip(current, into: &sink)
            case .deflate: try ZlibCodec.inflateDeflate(current, into: &sink)
            case .br: try BrotliCodec.decode(current, into: &sink)
            case .zstd: try ZstdCodec.decode(current, into: &sink)
            }
            current = sink.buffer
        }
        return current
    }
}

/// Puts content codings on a whole body; the same octets give the same result each time.
public enum ContentEncoder {
    /// The octets with the given codings, applied in order.
    public static func encode(_ bytes: ByteBuffer, codings: [ContentCoding]) throws(ContentError) -> ByteBuffer {
        var current = bytes
        for coding in codings {
            switch coding {
            case .gzip: current = try ZlibCodec.deflate(current, gzip: true)
            case .deflate: current = try ZlibCodec.deflate(current, gzip: false)
            case .br: current = try BrotliCodec.encode(current)
            case .zstd: current = try ZstdCodec.encode(current)
            }
        }
        return current
    }
}

/// Decoded octets with a bound that is checked before they are kept.
struct BoundedSink {
    /// The octets that one step of a decoder may produce.
    static let step = 64 << 10

    let limit: Int
    let coding: ContentCoding
    private(set) var buffer = ByteBuffer()

    init(limit: Int, coding: ContentCoding) {
        self.limit = limit
        self.coding = coding
    }

    /// Starts again, for a second try at another reading of the input.
    mutating func clear() { self.buffer.clear() }

    /// Lets `body` fill free space; it says how many octets it wrote.
    mutating func fill(_ body: (UnsafeMutableRawBufferPointer) -> Int) throws(ContentError) {
        _ = self.buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.step) { body($0) }
        guard self.buffer.readableBytes <= self.limit else {
            throw ContentError(.tooLarge, "\(self.coding.rawValue) data decodes to more than \(self.limit) octets")
        }
    }
}
