import Foundation

/// A plain blocking connection to a port on loopback.
final class Socket {
    private let descriptor: Int32

    struct Failure: Error { var reason: String }

    init(port: Int) throws {
        #if canImport(Glibc)
            self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            self.descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        // A child of another test would keep the connection open past its close.
        _ = fcntl(self.descriptor, F_SETFD, FD_CLOEXEC)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(self.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(self.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(reason: "connect: \(String(cString: strerror(errno)))") }
    }

    deinit { close(self.descriptor) }

    func send(_ text: String) throws {
        var octets = Array(text.utf8)[...]
        while !octets.isEmpty {
            let count = octets.withUnsafeBytes {
                Foundation.send(self.descriptor, $0.baseAddress, $0.count, noSignal)
            }
            guard count > 0 else { throw Failure(reason: "send: \(String(cString: strerror(errno)))") }
            octets = octets.dropFirst(count)
        }
    }

    func endOutput() { shutdown(self.descriptor, Int32(SHUT_WR)) }

    /// What comes until the text is there.
    func read(until mark: String) throws -> String {
        var text = ""
        while !text.contains(mark) { text += try self.readSome() }
        return text
    }

    /// What comes until the peer closes.
    func readToEnd() throws -> String {
        var text = ""
        while true {
            do { text += try self.readSome() } catch is End { return text }
        }
    }

    private struct End: Error {}

    private func readSome() throws -> String {
        var octets = [UInt8](repeating: 0, count: 65536)
        let count = recv(self.descriptor, &octets, octets.count, 0)
        if count == 0 { throw End() }
        guard count > 0 else { throw Failure(reason: "recv: \(String(cString: strerror(errno)))") }
        return String(decoding: octets[..<count], as: UTF8.self)
    }
}

/// A port on loopback that is taken and at which nobody listens.
final class BoundPort {
    private let descriptor: Int32
    let port: Int

    init() throws {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(descriptor, place, length) == 0 ? getsockname(descriptor, place, &length) : -1
            }
        }
        guard result == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw Socket.Failure(reason: "bind: \(reason)")
        }
        self.descriptor = descriptor
        self.port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(self.descriptor) }
}

#if canImport(Glibc)
    private let noSignal = Int32(MSG_NOSIGNAL)
#else
    private let noSignal: Int32 = 0
#endif

/// Runs blocking code on a thread of its own.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
