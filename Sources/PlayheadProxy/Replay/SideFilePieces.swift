import NIOCore
import PlayheadCassette

/// A side file read piece by piece on a thread, and cut where the recorded chunks end.
///
/// `@unchecked Sendable`: `ReplayStream` starts the next read only after the last one is done.
final class SideFilePieces: @unchecked Sendable {
    /// One piece of a body, with the number of its chunk.
    struct Piece: Sendable {
        var octets: ByteBuffer
        /// From 0; a chunk that is larger than one read comes in several pieces.
        var chunk: Int
    }

    /// How much is read at once, if chunks do not say more.
    private static let readLength = 128 * 1024
    /// How much of one chunk is read at once.
    private static let longestPiece = 1024 * 1024

    private let reader: SideFileReader
    /// The lengths of the chunks that are not read to their end; empty for a body without chunks.
    private var chunks: ArraySlice<Int>

    init(_ reader: SideFileReader, chunks: [Int]) {
        self.reader = reader
        self.chunks = chunks[...]
    }

    /// The next pieces; empty at the end.
    func next() throws -> [Piece] {
        var wanted = 0
        for length in self.chunks {
            wanted += min(length, Self.longestPiece)
            if wanted >= Self.readLength || length > Self.longestPiece { break }
        }
        guard var octets = try self.reader.read(upTo: wanted == 0 ? Self.readLength : wanted) else { return [] }
        var pieces: [Piece] = []
        while let length = self.chunks.first, octets.readableBytes > 0 {
            let part = min(length, octets.readableBytes)
            if let slice = octets.readSlice(length: part) {
                pieces.append(Piece(octets: slice, chunk: self.chunks.startIndex))
            }
            if part == length { self.chunks.removeFirst() } else { self.chunks[self.chunks.startIndex] -= part }
        }
        if octets.readableBytes > 0 { pieces.append(Piece(octets: octets, chunk: self.chunks.startIndex)) }
        return pieces
    }
}
