import Foundation

/// How a peer ended its stream, as the reader saw it.
enum StreamEnd: Equatable, Sendable {
    case closed
    case reset
    /// Nothing came within the time limit.
    case quiet
}

/// The other end did not do in time what the test waits for.
struct WireError: Error, CustomStringConvertible {
    var description: String
}

/// A blocking TCP socket with a time limit: the plain peer that tests script by hand.
///
/// `@unchecked Sendable`: a test hands it from thread to thread, and only one of them uses it at a time.
class Wire: @unchecked Sendable {
    let descriptor: Int32
    /// What was received and not yet taken.
    var received = Data()
    private var isClosed = false

    init(descriptor: Int32, timeout: Double = 60) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: Int(timeout), tv_usec: Int((timeout - Double(Int(timeout))) * 1e6))
        let size = socklen_t(MemoryLayout<timeval>.size)
        // A child of another test would keep the connection open past its close.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Connects to a port on loopback.
    convenience init(port: Int, receiveBuffer: Int32? = nil, timeout: Double = 60) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let result = Wire.withLoopback(port: port) { connect(descriptor, $0, $1) }
        guard result == 0 else { throw WireError(description: "connect: \(String(cString: strerror(errno)))") }
        self.init(descriptor: descriptor, timeout: timeout)
    }

    deinit { self.close() }

    /// Calls `body` with 127.0.0.1 and a port, as an IPv4 socket address in memory that may be written to.
    static func withLoopback<Result>(
        port: Int, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var octets = [UInt8](repeating: 0, count: 16)
        withUnsafeBytes(of: UInt16(AF_INET)) { octets.replaceSubrange(0..<2, with: $0) }
        withUnsafeBytes(of: UInt16(port).bigEndian) { octets.replaceSubrange(2..<4, with: $0) }
        octets.replaceSubrange(4..<8, with: [127, 0, 0, 1])
        return octets.withUnsafeMutableBytes { space in
            space.withMemoryRebound(to: sockaddr.self) { body($0.baseAddress!, 16) }
        }
    }

    /// The port in an IPv4 socket address.
    static func port(in address: UnsafeMutablePointer<sockaddr>) -> Int {
        Int(UInt16(bigEndian: UnsafeRawPointer(address).loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
    }

    // MARK: sending

    func send(_ text: String) throws { try self.send(Data(text.utf8)) }

    func send(_ octets: Data) throws { try self.sendRaw(octets) }

    final func sendRaw(_ octets: Data) throws {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw WireError(description: "send: \(String(cString: strerror(errno)))") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends all octets, and says so when the way to the peer is full: when it took none for a while.
    func send(_ octets: Data, whenFull full: Event) throws {
        var rest = octets[...]
        while !rest.isEmpty {
            var state = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
            if poll(&state, 1, 250) == 0 {
                full.happen()
                return try self.sendRaw(Data(rest))
            }
            let count = rest.withUnsafeBytes {
                Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            guard count > 0 || errno == EAGAIN else { return try self.sendRaw(Data(rest)) }
            rest = rest.dropFirst(max(0, count))
        }
        throw WireError(description: "\(octets.count) octets did not fill the way to the peer")
    }

    /// Waits until the program at the other end, which is on this machine, has read all that was sent.
    func waitUntilTaken() throws {
        var name = [UInt8](repeating: 0, count: 16)
        let ports = name.withUnsafeMutableBytes { space in
            space.withMemoryRebound(to: sockaddr.self) { address -> (own: Int, peer: Int) in
                var size = socklen_t(16)
                guard let address = address.baseAddress, getsockname(self.descriptor, address, &size) == 0 else {
                    return (0, 0)
                }
                let own = Wire.port(in: address)
                size = 16
                return getpeername(self.descriptor, address, &size) == 0 ? (own, Wire.port(in: address)) : (own, 0)
            }
        }
        guard ports.peer != 0 else { throw WireError(description: "it is not connected") }
        try eventually("the peer has read everything") {
            Self.waiting(from: ports.own, to: ports.peer).sent == 0
                && Self.waiting(from: ports.peer, to: ports.own).received == 0
        }
    }

    /// What the system holds of a connection on loopback, by the table of the kernel; nothing if there is none.
    private static func waiting(from: Int, to: Int) -> (sent: Int, received: Int) {
        func end(_ port: Int) -> String { "0100007F:" + String(format: "%04X", port) }
        let table = (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)) ?? ""
        let (from, to) = (end(from), end(to))
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 4, fields[1] == from, fields[2] == to else { continue }
            let octets = fields[4].split(separator: ":").map { Int($0, radix: 16) ?? 0 }
            return (octets.first ?? 0, octets.last ?? 0)
        }
        return (0, 0)
    }

    /// Sends until the peer takes no more for the time limit, or has closed; the count of octets that went.
    func sendUntilRefused(_ piece: Data, limit: Int) -> Int {
        var total = 0
        while total < limit {
            let count = piece.withUnsafeBytes {
                Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return total }
            total += count
        }
        return total
    }

    func endOutput() { shutdown(self.descriptor, Int32(SHUT_WR)) }

    /// Closes with RST.
    func reset() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(self.descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        self.close()
    }

    func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        Glibc.close(self.descriptor)
    }

    // MARK: receiving

    /// Reads once more; nil when octets came, else how the stream ended.
    func receive() -> StreamEnd? { self.receiveRaw { self.received.append($0) } }

    final func receiveRaw(limit: Int = 64 * 1024, _ take: (Data) -> Void) -> StreamEnd? {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(self.descriptor, &buffer, buffer.count, 0)
        if count > 0 {
            take(Data(buffer[..<count]))
            return nil
        }
        if count == 0 { return .closed }
        return errno == EAGAIN ? .quiet : .reset
    }

    /// Takes what came up to and with `mark`.
    func read(until mark: String) throws -> String {
        var searched = self.received.startIndex
        while true {
            if let range = self.received.range(of: Data(mark.utf8), in: searched..<self.received.endIndex) {
                return self.take(range.upperBound - self.received.startIndex)
            }
            searched = max(self.received.startIndex, self.received.endIndex - mark.utf8.count)
            if let end = self.receive() {
                throw WireError(
                    description: "\(end) before \(mark.debugDescription); had \(self.text.debugDescription)")
            }
        }
    }

    /// What came up to `end`, without it.
    func readLine(endingIn end: String = "\r\n") throws -> String {
        // By octets: CR LF is one character of a string.
        String(decoding: try self.read(until: end).utf8.dropLast(end.utf8.count), as: UTF8.self)
    }

    func read(count: Int) throws -> String {
        while self.received.count < count {
            if let end = self.receive() {
                throw WireError(description: "\(end) before \(count) octets; had \(self.received.count)")
            }
        }
        return self.take(count)
    }

    /// All octets to the end of the stream, and how it ended.
    func readToEnd() -> (text: String, end: StreamEnd) {
        while true {
            if let end = self.receive() { return (self.take(self.received.count), end) }
        }
    }

    /// The octets that were received and not yet taken, as text.
    var text: String { String(decoding: self.received, as: UTF8.self) }

    private func take(_ count: Int) -> String {
        let part = self.received.prefix(count)
        self.received = Data(self.received.dropFirst(count))
        return String(decoding: part, as: UTF8.self)
    }

    // MARK: messages

    /// Reads one request with a Content-Length or chunked body.
    func readRequest() throws -> Message { try Message(reading: self, hasBody: { $0.fields["content-length"] != nil }) }

    /// Reads one response; interim ones come out as messages of their own.
    func readResponse(toHead: Bool = false) throws -> Message {
        try Message(reading: self) { head in
            !toHead && head.status >= 200 && head.status != 204 && head.status != 304
        }
    }
}

/// One HTTP/1 message as a test reads it: strict enough to see a missing end.
struct Message {
    var startLine: String
    var lines: [String]
    var body = ""
    /// The chunks' texts, of a chunked body.
    var chunks: [String] = []
    var trailers: [String] = []

    /// Values by lower-case name; repeats are joined by a comma.
    var fields: [String: String] {
        var fields: [String: String] = [:]
        for line in self.lines {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            fields[name] = fields[name].map { "\($0),\(value)" } ?? value
        }
        return fields
    }

    var status: Int {
        let parts = self.startLine.split(separator: " ")
        return parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    }

    init(reading wire: Wire, hasBody: (Message) -> Bool) throws {
        let head = try wire.readLine(endingIn: "\r\n\r\n").components(separatedBy: "\r\n")
        self.startLine = head[0]
        self.lines = Array(head.dropFirst())
        if self.fields["transfer-encoding"] == "chunked", hasBody(self) || !self.startLine.hasPrefix("HTTP/") {
            while true {
                let line = try wire.readLine()
                guard let size = Int(line, radix: 16) else { throw WireError(description: "chunk size \(line)") }
                if size == 0 { break }
                self.chunks.append(try wire.read(count: size))
                guard try wire.read(count: 2) == "\r\n" else { throw WireError(description: "chunk end") }
            }
            while true {
                let line = try wire.readLine()
                if line.isEmpty { break }
                self.trailers.append(line)
            }
            self.body = self.chunks.joined()
        } else if let length = self.fields["content-length"].flatMap({ Int($0) }), hasBody(self) {
            self.body = try wire.read(count: length)
        } else if hasBody(self) {
            let (text, end) = wire.readToEnd()
            guard end == .closed else { throw WireError(description: "\(end) in a body that runs to the close") }
            self.body = text
        }
    }
}

/// Runs blocking work on a thread of its own, so that it holds no thread of the test runner.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
}

/// Something that one thread brings about, once for each that waits for it.
final class Event: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func happen() { self.semaphore.signal() }

    /// - Throws: `WireError` when it does not happen in time: no test waits for ever.
    func wait(_ what: String = "what another thread does", within seconds: Double = 60) throws {
        guard self.semaphore.wait(timeout: .now() + seconds) == .success else {
            throw WireError(description: "not within \(seconds) s: \(what)")
        }
    }
}

/// A value that a test writes on one thread and reads on another.
///
/// `@unchecked Sendable`: every access takes the lock.
final class Box<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value

    init(_ value: Value) { self.stored = value }

    var value: Value {
        get { self.lock.withLock { self.stored } }
        set { self.lock.withLock { self.stored = newValue } }
    }
}

/// Polls on the calling thread, which is one of its own, until a condition holds.
///
/// - Throws: `WireError` when it does not hold in time: no test waits for ever.
func eventually(_ what: String, within seconds: Double = 60, _ condition: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try !condition() {
        guard ContinuousClock.now < end else { throw WireError(description: "not within \(seconds) s: \(what)") }
        Thread.sleep(forTimeInterval: 0.002)
    }
}
