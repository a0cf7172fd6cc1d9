import Foundation

/// Bytes that look random and are the same on every run.
enum TestBytes {
    static func make(count: Int, seed: UInt64) -> Data {
        var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.withUnsafeMutableBytes { buffer in
            var index = 0
            while index + 8 <= count {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                buffer.storeBytes(of: state, toByteOffset: index, as: UInt64.self)
                index += 8
            }
        }
        return Data(bytes)
    }
}
