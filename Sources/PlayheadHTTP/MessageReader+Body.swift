import NIOCore

extension MessageReader {
    enum BodyStep {
        case part(ByteBuffer, endsChunk: Bool)
        case end(HeaderList)
        case needsMore
    }

    /// Sets up for the body that follows a head.
    mutating func beginBody(_ framing: BodyFraming) {
        self.extensionBytes = 0
        switch framing {
        case .none: self.phase = .fixedBody(remaining: 0)
        case .length(let length): self.phase = .fixedBody(remaining: length)
        case .chunked: self.phase = .chunkSize
        case .untilClose: self.phase = .bodyUntilClose
        }
    }

    /// The next part of the body; after `.end` the phase is `startLine`.
    mutating func nextBodyStep() throws(HTTP1Error) -> BodyStep {
        while true {
            switch self.phase {
            case .fixedBody(let remaining):
                if remaining == 0 { return self.end(HeaderList()) }
                guard self.input.readableBytes > 0 else { return .needsMore }
                let part = self.read(min(remaining, self.input.readableBytes))
                self.phase = .fixedBody(remaining: remaining - part.readableBytes)
                return .part(part, endsChunk: false)
            case .bodyUntilClose:
                if self.input.readableBytes > 0 {
                    return .part(self.read(self.input.readableBytes), endsChunk: false)
                }
                return self.hasEnded ? self.end(HeaderList()) : .needsMore
            case .chunkSize:
                guard try self.readChunkSize() else { return .needsMore }
            case .chunkData(let remaining):
                guard self.input.readableBytes > 0 else { return .needsMore }
                let part = self.read(min(remaining, self.input.readableBytes))
                let rest = remaining - part.readableBytes
                self.phase = rest == 0 ? .chunkDataEnd : .chunkData(remaining: rest)
                return .part(part, endsChunk: rest == 0)
            case .chunkDataEnd:
                guard try self.readChunkEnd() else { return .needsMore }
            case .trailers:
                return try self.readTrailers()
            case .startLine, .fields, .stopped, .failed:
                return .needsMore
            }
        }
    }

    private mutating func end(_ trailers: HeaderList) -> BodyStep {
        self.phase = .startLine
        return .end(trailers)
    }

    /// Reads a chunk-size line (RFC 9112 section 7.1); false when it is not complete.
    private mutating func readChunkSize() throws(HTTP1Error) -> Bool {
        let budget = self.limits.chunkExtensionBytes - self.extensionBytes
        switch self.nextLine(limit: Self.mostSizeDigits + budget, tooLong: .chunkExtensionsTooLong) {
        case .incomplete: return false
        case .fault(let code): throw HTTP1Error(code)
        case .complete(_, let end):
            let (size, digits, fault) = self.input.withUnsafeReadableBytes { bytes in
                Self.parseChunkSize(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
            }
            if let fault { throw HTTP1Error(fault) }
            self.extensionBytes += end - digits
            guard self.extensionBytes <= self.limits.chunkExtensionBytes else {
                throw HTTP1Error(.chunkExtensionsTooLong)
            }
            self.consumeLines()
            self.phase = size == 0 ? .trailers : .chunkData(remaining: size)
            return true
        }
    }

    /// Sixteen digits hold every 64-bit size; more could only be leading zeros or an attack.
    private static var mostSizeDigits: Int { 16 }

    private static func parseChunkSize(
        _ line: UnsafeRawBufferPointer
    ) -> (size: Int, digits: Int, fault: HTTP1Error.Code?) {
        var size: UInt64 = 0
        var digits = 0
        while digits < line.count, let digit = Octets.hexValue(line[digits]) {
            guard digits < Self.mostSizeDigits else { return (0, digits, .badChunkSize) }
            size = size << 4 | UInt64(digit)
            digits += 1
        }
        guard digits > 0, let size = Int(exactly: size) else { return (0, digits, .badChunkSize) }
        if digits == line.count { return (size, digits, nil) }
        guard line[digits] == UInt8(ascii: ";") else { return (0, digits, .badChunkSize) }
        guard Octets.areFieldValue(UnsafeRawBufferPointer(rebasing: line[digits...])) else {
            return (0, digits, .badChunkExtension)
        }
        return (size, digits, nil)
    }

    /// Reads the CR LF after chunk data; false when it is not complete.
    private mutating func readChunkEnd() throws(HTTP1Error) -> Bool {
        let count = self.input.readableBytes
        let isGood = self.input.withUnsafeReadableBytes { bytes in
            (count < 1 || bytes[0] == Octets.carriageReturn) && (count < 2 || bytes[1] == Octets.lineFeed)
        }
        guard isGood else { throw HTTP1Error(.badChunkEnd) }
        guard count >= 2 else { return false }
        self.consume(2)
        self.phase = .chunkSize
        return true
    }

    private mutating func readTrailers() throws(HTTP1Error) -> BodyStep {
        switch self.nextFields(totalLimit: self.limits.trailerBytes, tooLong: .trailersTooLong) {
        case .incomplete: return .needsMore
        case .fault(let code): throw HTTP1Error(code)
        case .complete(let length):
            var trailers = self.takeSection(length: length).headers
            if !trailers.isEmpty { HopByHop.removeFromTrailers(&trailers) }
            return self.end(trailers)
        }
    }
}
