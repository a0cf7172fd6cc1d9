import NIOCore
import PlayheadCassette

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
    /// Octets of one buffer; large ones are put on large pages.
    private static let bufferLength = 32 * 1024 * 1024

    /// Where a form lies: small, since places are looked at in any order.
    private struct Place {
        /// In ``buffers``; -1 for none.
        var buffer: Int32 = -1
        var start: UInt32 = 0
        var length: UInt32 = 0
    }

    private var places: [Place]
    private var buffers: [ByteBuffer] = []
    private(set) var octetCount = 0

    /// Forms for `count` exchanges, none of which is made.
    init(count: Int) { self.places = Array(repeating: Place(), count: count) }

    /// Makes the forms of all exchanges that need no encoding, as far as there is room.
    ///
    /// - Parameter parts: how many threads make them; nil chooses.
    init(_ exchanges: [Exchange], limit: Int = Self.limit, parts: Int? = nil) {
        let parts = parts ?? (exchanges.count < Parallel.exchangeLimit ? 1 : Parallel.partCount)
        guard parts > 1 else {
            self.init(exchanges[...], limit: limit)
            return
        }
        let borders = (0...parts).map { exchanges.count * $0 / parts }
        let made = Parallel.map(parts) { part in
            WireForms(exchanges[borders[part]..<borders[part + 1]], limit: limit / parts)
        }
        self.init(count: 0)
        self.places.reserveCapacity(exchanges.count)
        for part in made {
            let first = Int32(self.buffers.count)
            for var place in part.places {
                if place.buffer >= 0 { place.buffer += first }
                self.places.append(place)
            }
            self.buffers += part.buffers
            self.octetCount += part.octetCount
        }
    }

    private init(_ exchanges: ArraySlice<Exchange>, limit: Int) {
        self.init(count: exchanges.count)
        var buffer = ByteBuffer()
        for (position, exchange) in exchanges.enumerated() {
            guard case .response(let response) = exchange.outcome, response.body.coding.isEmpty,
                let whole = ReplayResponse.whole(exchange)
            else { continue }
            let capacity = whole.wireCapacity
            guard self.octetCount + capacity <= limit else { break }
            if capacity > buffer.writableBytes {
                self.add(buffer)
                buffer = Self.makeBuffer(max(capacity, min((exchanges.count - position) * 2048, Self.bufferLength)))
            }
            let start = buffer.writerIndex
            whole.write(into: &buffer)
            self.places[position] = self.place(from: start, to: buffer.writerIndex)
            self.octetCount += buffer.writerIndex - start
        }
        self.add(buffer)
    }

    /// The form of the exchange at a position, if it was made.
    subscript(position: Int) -> ByteBuffer? {
        let place = self.places[position]
        guard place.buffer >= 0 else { return nil }
        return self.buffers[Int(place.buffer)].getSlice(at: Int(place.start), length: Int(place.length))
    }

    /// Keeps a form that was made later, if there is none and room for it.
    mutating func keep(_ form: ByteBuffer, at position: Int) {
        guard self.places[position].buffer < 0, self.octetCount + form.readableBytes <= Self.limit else { return }
        self.places[position] = self.place(from: form.readerIndex, to: form.writerIndex)
        self.buffers.append(form)
        self.octetCount += form.readableBytes
    }

    /// A place in the buffer that comes next.
    ///
    /// Lengths fit: ``limit`` bounds what all forms have together.
    private func place(from start: Int, to end: Int) -> Place {
        Place(buffer: Int32(self.buffers.count), start: UInt32(start), length: UInt32(end - start))
    }

    /// Adds the buffer in which the latest places lie.
    ///
    /// Only when it is full: as long as something else holds its octets, writing would copy them.
    private mutating func add(_ buffer: ByteBuffer) {
        if buffer.readableBytes > 0 { self.buffers.append(buffer) }
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
