/// The grammar of request and status lines (RFC 9112 sections 3 and 4), without their line ends.
enum StartLine {
    struct Request {
        var method: String
        var target: String
        var version: HTTPVersion
    }

    struct Status {
        var code: Int
        var reason: String
        var version: HTTPVersion
    }

    enum Parsed<Line> {
        case line(Line)
        case fault(HTTP1Error.Code)
    }

    static func request(_ line: UnsafeRawBufferPointer) -> Parsed<Request> {
        var methodEnd = 0
        while methodEnd < line.count, Octets.isToken(line[methodEnd]) { methodEnd += 1 }
        guard methodEnd < line.count else { return .fault(.badRequestLine) }
        guard methodEnd > 0, line[methodEnd] == Octets.space else { return .fault(.badMethod) }
        // The version is the last nine octets, its space included.
        let targetStart = methodEnd + 1
        let targetEnd = line.count - 9
        guard targetEnd > targetStart, line[targetEnd] == Octets.space, let version = Self.version(line, targetEnd + 1)
        else { return .fault(Self.faultWithoutVersion(line, from: targetStart)) }
        let target = UnsafeRawBufferPointer(rebasing: line[targetStart..<targetEnd])
        var hasHighOctets = false
        guard Octets.areTarget(target, hasHighOctets: &hasHighOctets) else {
            return .fault(target.contains(Octets.space) ? .badRequestLine : .badTarget)
        }
        let text: String
        if hasHighOctets {
            // Only UTF-8 survives as text octet for octet; anything else we could not pass on as it came.
            guard let valid = String(validating: target, as: UTF8.self) else { return .fault(.badTarget) }
            text = valid
        } else {
            text = String(decoding: target, as: UTF8.self)
        }
        let method = Self.method(UnsafeRawBufferPointer(rebasing: line[..<methodEnd]))
        return .line(Request(method: method, target: text, version: version))
    }

    static func status(_ line: UnsafeRawBufferPointer) -> Parsed<Status> {
        guard line.count >= 12, let version = Self.version(line, 0) else {
            return .fault(Self.isVersion(line, 0) && line.count >= 12 ? .unsupportedVersion : .badStatusLine)
        }
        guard line[8] == Octets.space, Octets.isDigit(line[9]), Octets.isDigit(line[10]), Octets.isDigit(line[11])
        else { return .fault(.badStatusLine) }
        let code = Int(line[9] & 0x0F) * 100 + Int(line[10] & 0x0F) * 10 + Int(line[11] & 0x0F)
        guard code >= 100 else { return .fault(.badStatusLine) }
        var reason = ""
        if line.count > 12 {
            guard line[12] == Octets.space else { return .fault(.badStatusLine) }
            let octets = UnsafeRawBufferPointer(rebasing: line[13...])
            guard Octets.areFieldValue(octets) else { return .fault(.controlOctet) }
            reason = Self.reason(code, octets)
        }
        return .line(Status(code: code, reason: reason, version: version))
    }

    /// The version at an offset, when it is one we speak; exact octets, so `http/1.1` is none.
    @inline(__always)
    private static func version(_ line: UnsafeRawBufferPointer, _ offset: Int) -> HTTPVersion? {
        let word = UInt64(bigEndian: line.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        if word == 0x4854_5450_2F31_2E31 { return .http1_1 }
        return word == 0x4854_5450_2F31_2E30 ? .http1_0 : nil
    }

    private static func isVersion(_ line: UnsafeRawBufferPointer, _ offset: Int) -> Bool {
        guard offset >= 0, line.count >= offset + 8 else { return false }
        let name = UnsafeRawBufferPointer(rebasing: line[offset..<offset + 5])
        return name.elementsEqual("HTTP/".utf8) && Octets.isDigit(line[offset + 5])
            && line[offset + 6] == UInt8(ascii: ".") && Octets.isDigit(line[offset + 7])
    }

    /// What to say about a request line that does not end in a version we speak.
    private static func faultWithoutVersion(_ line: UnsafeRawBufferPointer, from start: Int) -> HTTP1Error.Code {
        guard let last = line[start...].lastIndex(of: Octets.space) else { return .badVersion }
        if last == start || last + 1 == line.count { return .badRequestLine }
        return last + 9 == line.count && Self.isVersion(line, last + 1) ? .unsupportedVersion : .badVersion
    }

    @inline(__always)
    private static func method(_ octets: UnsafeRawBufferPointer) -> String {
        if octets.count == 3, octets[0] == 0x47, octets[1] == 0x45, octets[2] == 0x54 { return "GET" }
        return String(decoding: octets, as: UTF8.self)
    }

    @inline(__always)
    private static func reason(_ code: Int, _ octets: UnsafeRawBufferPointer) -> String {
        if code == 200, octets.count == 2, octets[0] == 0x4F, octets[1] == 0x4B { return "OK" }
        return decodeText(octets)
    }
}
