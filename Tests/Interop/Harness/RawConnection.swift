import Foundation

/// A blocking TCP connection on loopback with deadlines, for bytes that no client library would send.
final class RawConnection {
    private let descriptor: Int32

    init(port: Int) throws {
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #endif
        self.descriptor = socket(AF_INET, kind, 0)
        guard self.descriptor >= 0 else { throw HarnessError("no socket: \(String(cString: strerror(errno)))") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(self.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            throw HarnessError("cannot connect to port \(port): \(String(cString: strerror(errno)))")
        }
        #if canImport(Darwin)
            var one: Int32 = 1
            setsockopt(self.descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, 4)
        #endif
    }

    deinit { close(self.descriptor) }

    /// Sends what can be sent; a peer that has closed is no error here.
    func send(_ bytes: [UInt8]) {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(self.descriptor, $0.baseAddress, $0.count, flags) }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    func send(_ text: String) { self.send(Array(text.utf8)) }

    /// No more bytes from us.
    func finishSending() { shutdown(self.descriptor, Int32(SHUT_WR)) }

    /// The next bytes; empty at the end of the stream or after a reset; nil when nothing came in time.
    func receive(within milliseconds: Int32) -> [UInt8]? {
        var poller = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&poller, 1, milliseconds) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = buffer.withUnsafeMutableBytes { recv(self.descriptor, $0.baseAddress, $0.count, 0) }
        return count > 0 ? Array(buffer[..<count]) : []
    }

    /// Everything until the peer closes; the flag says whether it did within the limit.
    func receiveToEnd(within milliseconds: Int32 = 20_000) -> (text: String, closed: Bool) {
        var all: [UInt8] = []
        while let piece = self.receive(within: milliseconds) {
            if piece.isEmpty { return (String(decoding: all, as: UTF8.self), true) }
            all += piece
        }
        return (String(decoding: all, as: UTF8.self), false)
    }

    /// Reads until the text has come.
    func receive(until end: String, within milliseconds: Int32 = 20_000) -> String {
        var all: [UInt8] = []
        while let piece = self.receive(within: milliseconds), !piece.isEmpty {
            all += piece
            if String(decoding: all, as: UTF8.self).contains(end) { break }
        }
        return String(decoding: all, as: UTF8.self)
    }
}
