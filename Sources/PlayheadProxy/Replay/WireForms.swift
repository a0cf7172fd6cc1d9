import Dispatch
import NIOCore
import PlayheadCassette
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The responses of a cassette as they go over the wire, by position.
///
/// Most are made when the cassette is opened and lie one behind the other in a few large buffers: in a big cassette a
/// step to memory that is not in the processor's caches costs more than what is computed there, and an answer from here
/// touches nothing of its exchange. Bodies with a content coding are encoded when they are asked for, and kept from
/// their second play on.
struct WireForms: Sendable {
    /// How many octets are kept in all.
    static let limit = 128 * 1024 * 1024
    /// Fewer exchanges are not worth a second thread.
    private static let threadLimit = 10_000
    /// Octets of one buffer; large ones are put on large pages.
    private static let bufferLength = 32 * 1024 * 1024

    private var forms: [ByteBuffer?]
    private(set) var octetCount = 0

    /// Forms for `count` exchanges, none of which is made.
    init(count: Int) { self.forms = Array(repeating: nil, count: count) }

    /// Makes the forms of all exchanges that need no encoding, as far as there is room.
    ///
    /// - Parameter parts: how many threads make them; nil chooses.
    init(_ exchanges: [Exchange], limit: Int = Self.limit, parts: Int? = nil) {
        let parts = parts ?? (exchanges.count < Self.threadLimit ? 1 : System.coreCount)
        guard parts > 1 else {
            self.init(exchanges[...], limit: limit)
            return
        }
        let borders = (0...parts).map { exchanges.count * $0 / parts }
        let made = Mutex([WireForms](repeating: WireForms(count: 0), count: parts))
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            let forms = WireForms(exchanges[borders[part]..<borders[part + 1]], limit: limit / parts)
            made.withLock { $0[part] = forms }
        }
        self.init(count: 0)
        self.forms.reserveCapacity(exchanges.count)
        for part in made.withLock({ $0 }) {
            self.forms.append(contentsOf: part.forms)
            self.octetCount += part.octetCount
        }
    }

    private init(_ exchanges: ArraySlice<Exchange>, limit: Int) {
        self.init(count: exchanges.count)
        var buffer = ByteBuffer()
        var places: [(position: Int, start: Int, end: Int)] = []
        for (position, exchange) in exchanges.enumerated() {
            guard case .response(let response) = exchange.outcome, response.body.coding.isEmpty,
                let whole = ReplayResponse.whole(exchange)
            else { continue }
            let capacity = whole.wireCapacity
            guard self.octetCount + capacity <= limit else { break }
            if capacity > buffer.writableBytes {
                self.slice(buffer, places)
                places.removeAll(keepingCapacity: true)
                buffer = Self.makeBuffer(max(capacity, min((exchanges.count - position) * 2048, Self.bufferLength)))
            }
            let start = buffer.writerIndex
            whole.write(into: &buffer)
            places.append((position, start, buffer.writerIndex))
            self.octetCount += buffer.writerIndex - start
        }
        self.slice(buffer, places)
    }

    /// The form of the exchange at a position, if it was made.
    subscript(position: Int) -> ByteBuffer? { self.forms[position] }

    /// Keeps a form that was made later, if there is none and room for it.
    mutating func keep(_ form: ByteBuffer, at position: Int) {
        guard self.forms[position] == nil, self.octetCount + form.readableBytes <= Self.limit else { return }
        self.forms[position] = form
        self.octetCount += form.readableBytes
    }

    /// Only when a buffer is full: as long as slices of it live, writing would copy it.
    private mutating func slice(_ buffer: ByteBuffer, _ places: [(position: Int, start: Int, end: Int)]) {
        for place in places {
            self.forms[place.position] = buffer.getSlice(at: place.start, length: place.end - place.start)
        }
    }

    private static func makeBuffer(_ length: Int) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: length)
        #if os(Linux)
            // One address translation for 2 MiB rather than for 4 KiB. Only advice: nothing depends on the answer.
            let page = 2 * 1024 * 1024
            guard length >= 2 * page else { return buffer }
            buffer.withUnsafeMutableWritableBytes { octets in
                guard let start = octets.baseAddress?.alignedUp(toMultipleOf: page) else { return }
                let count = octets.count - (start - UnsafeMutableRawPointer(octets.baseAddress ?? start))
                if count >= page { _ = madvise(start, count / page * page, MADV_HUGEPAGE) }
            }
        #endif
        return buffer
    }
}
