import NIOCore
import PlayheadContent
import PlayheadHTTP

/// How one exchange lies in a journal: length, checksum, then the payload; all numbers are little endian.
///
/// Not YAML, because a record is written on the event loop before the client gets its last octet.
enum JournalRecord {
    /// The first octets of a journal; the last one but one is the version of the records.
    static let magic: [UInt8] = Array("PHJRNL".utf8) + [1, 0x0a]
    /// The first octets of an encrypted journal, in front of salt and check as in ``SealedFile``.
    static let sealedMagic: [UInt8] = Array("PHJRNS".utf8) + [1, 0x0a]
    /// Length and checksum before each payload, in octets.
    static let headerLength = 8
    /// The bound of one payload: 1 GiB; a longer length is damage.
    static let payloadLimit = 1 << 30

    /// Appends one record.
    static func write(_ exchange: Exchange, into buffer: inout ByteBuffer) {
        let start = buffer.writerIndex
        buffer.writeInteger(0 as UInt64)
        var writer = FieldWriter(buffer: buffer)
        buffer = ByteBuffer()
        writer.exchange(exchange)
        buffer = writer.buffer
        let length = buffer.writerIndex - start - self.headerLength
        let checksum = buffer.withUnsafeReadableBytes { bytes in
            Checksum.crc32(
                UnsafeRawBufferPointer(rebasing: bytes[(start - buffer.readerIndex + self.headerLength)...]))
        }
        buffer.setInteger(UInt32(truncatingIfNeeded: length), at: start, endianness: .little)
        buffer.setInteger(checksum, at: start + 4, endianness: .little)
    }

    /// What stands at the start of the readable octets.
    enum Step {
        /// A whole record; it was taken from the buffer.
        case exchange(Exchange)
        /// More octets are needed, so many in all.
        case needs(Int)
        /// The octets are not a record.
        case damaged(String)
    }

    /// Takes one record from the front.
    static func read(from buffer: inout ByteBuffer) -> Step {
        guard
            let length = buffer.getInteger(at: buffer.readerIndex, endianness: .little, as: UInt32.self),
            let checksum = buffer.getInteger(at: buffer.readerIndex + 4, endianness: .little, as: UInt32.self)
        else { return .needs(self.headerLength) }
        guard length <= self.payloadLimit else { return .damaged("a record claims \(length) octets") }
        let total = self.headerLength + Int(length)
        guard buffer.readableBytes >= total else { return .needs(total) }
        guard let payload = buffer.getSlice(at: buffer.readerIndex + self.headerLength, length: Int(length)),
            payload.withUnsafeReadableBytes({ Checksum.crc32($0) }) == checksum
        else { return .damaged("the checksum of a record is wrong") }
        return self.taken(payload, total, from: &buffer)
    }

    /// Appends one sealed record: its length, then nonce, octets and tag.
    static func write(_ exchange: Exchange, number: UInt64, sealed: SealedFile, into buffer: inout ByteBuffer) {
        var writer = FieldWriter(buffer: ByteBuffer())
        writer.exchange(exchange)
        let payload = writer.buffer
        let extra = AESGCM.nonceLength + AESGCM.tagLength
        buffer.writeInteger(UInt32(truncatingIfNeeded: payload.readableBytes + extra), endianness: .little)
        payload.withUnsafeReadableBytes { sealed.sealRecord($0, number: number, into: &buffer) }
    }

    /// Takes one sealed record from the front.
    static func read(from buffer: inout ByteBuffer, number: UInt64, sealed: SealedFile) -> Step {
        guard let length = buffer.getInteger(at: buffer.readerIndex, endianness: .little, as: UInt32.self) else {
            return .needs(4)
        }
        guard length <= self.payloadLimit + 64 else { return .damaged("a record claims \(length) octets") }
        let total = 4 + Int(length)
        guard buffer.readableBytes >= total else { return .needs(total) }
        guard let record = buffer.getSlice(at: buffer.readerIndex + 4, length: Int(length)),
            let payload = record.withUnsafeReadableBytes({ sealed.openRecord($0, number: number) })
        else { return .damaged("a record was changed or is damaged") }
        return self.taken(payload, total, from: &buffer)
    }

    private static func taken(_ payload: ByteBuffer, _ total: Int, from buffer: inout ByteBuffer) -> Step {
        var reader = FieldReader(buffer: payload)
        guard let exchange = reader.exchange(), reader.isAtEnd else {
            return .damaged("a record cannot be read; another version of the program may have written it")
        }
        buffer.moveReaderIndex(forwardBy: total)
        return .exchange(exchange)
    }
}

/// Writes the fields of an exchange.
private struct FieldWriter {
    var buffer: ByteBuffer

    mutating func exchange(_ exchange: Exchange) {
        self.text(exchange.id)
        self.number(Int(exchange.recordedAt.milliseconds))
        self.optional(exchange.timing.firstByte)
        self.optional(exchange.timing.total)
        self.text(exchange.request.method)
        self.text(exchange.request.url)
        self.version(exchange.request.version)
        self.headers(exchange.request.headers)
        self.body(exchange.request.body)
        self.headers(exchange.request.trailers)
        switch exchange.outcome {
        case .response(let response):
            self.buffer.writeInteger(0 as UInt8)
            self.response(response)
        case .failure(let failure):
            self.buffer.writeInteger(failure.partial == nil ? 1 as UInt8 : 2)
            self.text(failure.kind.rawValue + (failure.error.map { " \($0)" } ?? ""))
            self.text(failure.message)
            if let partial = failure.partial { self.response(partial) }
        case .webSocket(let socket):
            self.buffer.writeInteger(3 as UInt8)
            self.webSocket(socket)
        }
    }

    private mutating func webSocket(_ socket: RecordedWebSocket) {
        self.response(socket.response)
        self.text(socket.ending.rawValue)
        self.length(socket.frames.count)
        for frame in socket.frames {
            self.text(frame.sender.rawValue)
            self.number(frame.at)
            self.text(frame.opcode.rawValue)
            self.body(frame.payload)
            self.length(frame.fragments.count)
            for length in frame.fragments { self.number(length) }
            self.optional(frame.closeCode)
        }
    }

    private mutating func response(_ response: RecordedResponse) {
        self.number(response.status)
        self.text(response.reason)
        self.version(response.version)
        self.headers(response.headers)
        self.body(response.body)
        self.headers(response.trailers)
        self.length(response.chunks.count)
        for chunk in response.chunks {
            self.number(chunk.at)
            // Journals of before the count existed stay readable: a length that is not negative has none.
            self.number(chunk.after == nil ? chunk.length : -1 - chunk.length)
            if let after = chunk.after { self.number(after) }
        }
    }

    private mutating func body(_ body: RecordedBody) {
        switch body.content {
        case .none: self.buffer.writeInteger(0 as UInt8)
        case .octets(let octets):
            self.buffer.writeInteger(1 as UInt8)
            self.length(octets.readableBytes)
            self.buffer.writeImmutableBuffer(octets)
        case .file(let reference):
            self.buffer.writeInteger(2 as UInt8)
            self.text(reference.name)
            self.number(reference.length)
            self.text(reference.sha256)
        }
        self.length(body.coding.count)
        for coding in body.coding { self.text(coding) }
        self.buffer.writeInteger(body.isTruncated ? 1 as UInt8 : 0)
    }

    private mutating func headers(_ headers: HeaderList) {
        self.length(headers.count)
        for index in headers.indices {
            headers.withName(at: index) { self.octets($0) }
            headers.withValue(at: index) { self.octets($0) }
        }
    }

    private mutating func version(_ version: HTTPVersion) {
        self.buffer.writeInteger(UInt8(clamping: version.major))
        self.buffer.writeInteger(UInt8(clamping: version.minor))
    }

    private mutating func octets(_ octets: UnsafeRawBufferPointer) {
        self.length(octets.count)
        self.buffer.writeBytes(octets)
    }

    private mutating func text(_ text: String) {
        self.length(text.utf8.count)
        self.buffer.writeString(text)
    }

    private mutating func length(_ value: Int) {
        self.buffer.writeInteger(UInt32(clamping: value), endianness: .little)
    }

    private mutating func number(_ value: Int) { self.buffer.writeInteger(Int64(value), endianness: .little) }

    private mutating func optional(_ value: Int?) { self.number(value ?? .min) }
}

/// Reads the fields of an exchange; every step is nil if the octets do not hold it.
private struct FieldReader {
    var buffer: ByteBuffer

    var isAtEnd: Bool { self.buffer.readableBytes == 0 }

    mutating func exchange() -> Exchange? {
        guard let id = self.text(), let time = self.number(), let first = self.number(), let total = self.number(),
            let request = self.request(), let outcome = self.outcome()
        else { return nil }
        return Exchange(
            id: id, recordedAt: Timestamp(milliseconds: Int64(time)), request: request, outcome: outcome,
            timing: Exchange.Timing(firstByte: first == .min ? nil : first, total: total == .min ? nil : total))
    }

    private mutating func request() -> RecordedRequest? {
        guard let method = self.text(), let url = self.text(), let version = self.version(),
            let headers = self.headers(), let body = self.body(), let trailers = self.headers()
        else { return nil }
        return RecordedRequest(
            method: method, url: url, version: version, headers: headers, body: body, trailers: trailers)
    }

    private mutating func outcome() -> Exchange.Outcome? {
        guard let kind = self.buffer.readInteger(as: UInt8.self) else { return nil }
        if kind == 0 { return self.response().map { .response($0) } }
        if kind == 3 { return self.webSocket().map { .webSocket($0) } }
        guard kind <= 2, let names = self.text()?.split(separator: " ").map(String.init), let name = names.first,
            let failure = RecordedFailure.Kind(rawValue: name), let message = self.text()
        else { return nil }
        let error = names.dropFirst().first.flatMap { RecordedFailure.isError($0) ? $0 : nil }
        if kind == 1 { return .failure(RecordedFailure(kind: failure, message: message, error: error)) }
        guard let partial = self.response() else { return nil }
        return .failure(RecordedFailure(kind: failure, message: message, error: error, partial: partial))
    }

    private mutating func response() -> RecordedResponse? {
        guard let status = self.number(), let reason = self.text(), let version = self.version(),
            let headers = self.headers(), let body = self.body(), let trailers = self.headers(),
            let count = self.length()
        else { return nil }
        var chunks: [RecordedResponse.Chunk] = []
        for _ in 0..<count {
            guard let at = self.number(), let length = self.number() else { return nil }
            if length >= 0 {
                chunks.append(RecordedResponse.Chunk(at: at, length: length))
            } else {
                guard let after = self.number() else { return nil }
                chunks.append(RecordedResponse.Chunk(at: at, length: -1 - length, after: after))
            }
        }
        return RecordedResponse(
            status: status, reason: reason, version: version, headers: headers, body: body, trailers: trailers,
            chunks: chunks)
    }

    private mutating func webSocket() -> RecordedWebSocket? {
        guard let response = self.response(),
            let ending = self.text().flatMap(RecordedWebSocket.Ending.init(rawValue:)),
            let count = self.length()
        else { return nil }
        var frames: [RecordedWebSocket.Frame] = []
        for _ in 0..<count {
            guard let sender = self.text().flatMap(RecordedWebSocket.Sender.init(rawValue:)), let at = self.number(),
                let opcode = self.text().flatMap(RecordedWebSocket.Opcode.init(rawValue:)), let payload = self.body(),
                let fragmentCount = self.length()
            else { return nil }
            var fragments: [Int] = []
            for _ in 0..<fragmentCount {
                guard let length = self.number() else { return nil }
                fragments.append(length)
            }
            guard let code = self.number() else { return nil }
            frames.append(
                RecordedWebSocket.Frame(
                    sender, at: at, opcode, payload: payload, fragments: fragments,
                    closeCode: code == .min ? nil : code))
        }
        return RecordedWebSocket(response: response, frames: frames, ending: ending)
    }

    private mutating func body() -> RecordedBody? {
        var body = RecordedBody()
        switch self.buffer.readInteger(as: UInt8.self) {
        case 0: break
        case 1:
            guard let length = self.length(), let octets = self.buffer.readSlice(length: length) else { return nil }
            // A copy, so that one small body does not keep a whole read buffer alive.
            body.content = .octets(ByteBuffer(bytes: octets.readableBytesView))
        case 2:
            guard let name = self.text(), let length = self.number(), let sha256 = self.text() else { return nil }
            let reference = SideFileReference(name: name, length: length, sha256: sha256)
            guard reference.isWellFormed else { return nil }
            body.content = .file(reference)
        default: return nil
        }
        guard let count = self.length() else { return nil }
        for _ in 0..<count {
            guard let coding = self.text() else { return nil }
            body.coding.append(coding)
        }
        guard let flag = self.buffer.readInteger(as: UInt8.self) else { return nil }
        body.isTruncated = flag != 0
        return body
    }

    private mutating func headers() -> HeaderList? {
        guard let count = self.length() else { return nil }
        var headers = HeaderList()
        for _ in 0..<count {
            guard let name = self.text(), let length = self.length(), let value = self.buffer.readSlice(length: length)
            else { return nil }
            headers.append(name: name, octets: value.readableBytesView)
        }
        return headers
    }

    private mutating func version() -> HTTPVersion? {
        guard let major = self.buffer.readInteger(as: UInt8.self), let minor = self.buffer.readInteger(as: UInt8.self)
        else { return nil }
        return HTTPVersion(major: Int(major), minor: Int(minor))
    }

    private mutating func text() -> String? { self.length().flatMap { self.buffer.readString(length: $0) } }

    private mutating func length() -> Int? {
        self.buffer.readInteger(endianness: .little, as: UInt32.self).map { Int($0) }
    }

    private mutating func number() -> Int? {
        self.buffer.readInteger(endianness: .little, as: Int64.self).map { Int($0) }
    }
}
