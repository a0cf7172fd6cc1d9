public import NIOCore

/// What gRPC adds to HTTP/2 that a recorder has to know.
public enum GRPC {
    /// Whether a `Content-Type` says that the body is a sequence of gRPC messages; gRPC-Web is not meant.
    public static func isMediaType(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        let prefix = "application/grpc"
        guard contentType.utf8.count >= prefix.utf8.count,
            contentType.prefix(prefix.count).lowercased() == prefix
        else { return false }
        switch contentType.dropFirst(prefix.count).utf8.first {
        case nil, UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: " "): return true
        default: return false
        }
    }

    /// A text as the field `grpc-message` holds it: percent-encoded but for printable ASCII.
    public static func message(_ text: String) -> String {
        var result = ""
        for octet in text.utf8 {
            if (0x20...0x7E).contains(octet), octet != UInt8(ascii: "%") {
                result.unicodeScalars.append(Unicode.Scalar(octet))
            } else {
                let digits = String(octet, radix: 16, uppercase: true)
                result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }
}

/// Finds where the messages of a gRPC body end: each has a flag and its length in four octets in front.
public struct GRPCMessageBorders: Sendable {
    private var prefix: UInt32 = 0
    private var prefixOctets = 0
    private var left = 0
    /// The length of the message that is not yet complete, as far as it came.
    public private(set) var open = 0

    /// Creates the borders of a body that has not begun.
    public init() {}

    /// Takes the next octets.
    ///
    /// - Returns: the lengths of the messages that end within them, their five octets in front included.
    public mutating func take(_ octets: ByteBuffer) -> [Int] {
        var ends: [Int] = []
        var rest = octets.readableBytesView
        while !rest.isEmpty {
            if self.prefixOctets < 5 {
                let octet = rest.removeFirst()
                self.prefixOctets += 1
                self.open += 1
                // The first octet is the flag of compression.
                if self.prefixOctets > 1 { self.prefix = self.prefix << 8 | UInt32(octet) }
                guard self.prefixOctets == 5 else { continue }
                self.left = Int(self.prefix)
            } else {
                let count = min(self.left, rest.count)
                rest.removeFirst(count)
                self.left -= count
                self.open += count
            }
            guard self.left == 0, self.prefixOctets == 5 else { continue }
            ends.append(self.open)
            self.open = 0
            self.prefixOctets = 0
            self.prefix = 0
        }
        return ends
    }
}
