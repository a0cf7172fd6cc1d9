import CFaults
import Foundation
import NIOCore
import Testing

@testable import PlayheadProxy

/// Octets that do not fit into memory, and disks that do not take them or do not give them back.
@Suite struct SpillFileTests {
    private static func octets(_ count: Int) -> ByteBuffer {
        ByteBuffer(bytes: (0..<count).map { UInt8($0 * 7 & 255) })
    }

    @Test func givesBackWhatWasAppendedHoweverItIsRead() throws {
        let all = Self.octets(3_000_000)
        let file = try SpillFile()
        var rest = all
        for length in [1, 15, 16, 1_000_000] {
            let piece = rest.readSlice(length: length)
            try file.append(try #require(piece))
        }
        try file.append(rest)
        #expect(try file.read(limit: .max) == all)
        #expect(try file.read(limit: 17) == all.getSlice(at: 0, length: 17))
        let reader = file.reader()
        var pieces = ByteBuffer()
        while case var piece = try reader.next(999), piece.readableBytes > 0 { pieces.writeBuffer(&piece) }
        #expect(pieces == all)
    }

    @Test(.enabled(if: faults_work() != 0)) func aFailedCallIsAnErrorAndNoEnd() throws {
        let file = try SpillFile()
        faults_begin(1, 0, ENOSPC)
        #expect(throws: SpillFile.Failure.self) { try file.append(Self.octets(10)) }
        _ = faults_end()
        let whole = try SpillFile()
        let all = Self.octets(2_500_000)
        try whole.append(all)
        for number in 1...3 {
            faults_begin(Int32(number), 0, EIO)
            let error = #expect(throws: SpillFile.Failure.self) { try whole.read(limit: .max) }
            _ = faults_end()
            #expect(error?.code == EIO, "call \(number)")
            // A call that was only interrupted is made again.
            faults_begin(Int32(number), 0, EINTR)
            let found = try whole.read(limit: .max)
            _ = faults_end()
            #expect(found == all, "call \(number)")
        }
    }
}
