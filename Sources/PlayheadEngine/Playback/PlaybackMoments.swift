public import PlayheadCassette
import PlayheadHTTP

/// When the parts of a recorded answer came: the head, each chunk of a streamed body, the end.
///
/// A body without chunks goes out with the end. A failure without a response has one moment, its end; a WebSocket has
/// the one in which it opened.
public struct PlaybackMoments: Sendable, Equatable {
    /// Milliseconds from the start of the request; never falling, at least one.
    public let times: [Int]
    /// The lengths of the body's pieces, one for each moment between the head and the end; empty if it has no chunks.
    public let pieces: [Int]

    /// How many messages of the request each moment waits for, nil for all of it; empty if none waits.
    public let messages: [Int?]

    /// Reads the moments of a recording.
    public init(_ exchange: Exchange) {
        let response: RecordedResponse?
        switch exchange.outcome {
        case .response(let complete): response = complete
        case .failure(let failure): response = failure.partial
        // What goes over it has times of its own.
        case .webSocket:
            self.times = [max(0, exchange.timing.firstByte ?? 0)]
            self.pieces = []
            self.messages = []
            return
        }
        let total = exchange.timing.total ?? 0
        guard let response else {
            self.times = [max(0, total)]
            self.pieces = []
            self.messages = []
            return
        }
        let chunks = response.playedChunks
        self.pieces = chunks.map(\.length)
        // The head goes with the first message; an empty chunk says when the end came.
        let end = response.chunks.last.flatMap { $0.length == 0 ? $0.after : nil }
        self.messages = response.isInterleaved ? [chunks.first?.after ?? end] + chunks.map(\.after) + [end] : []
        var last = 0
        self.times = ([exchange.timing.firstByte ?? 0] + chunks.map(\.at) + [total]).map { time in
            last = max(last, time)
            return last
        }
    }

    /// The number of the end's moment.
    public var end: Int { self.times.count - 1 }
}

extension RecordedResponse {
    /// Whether some of it came while the request was still under way, as in a chat over gRPC.
    public var isInterleaved: Bool { self.chunks.contains { $0.after != nil } }

    /// The chunks that a replay sends one by one: none unless they fit the stored octets and a length was not promised.
    public var playedChunks: [Chunk] {
        guard self.chunks.count > 1 || self.isInterleaved, self.body.coding.isEmpty,
            !self.headers.contains("content-length")
        else { return [] }
        var sum = 0
        for chunk in self.chunks {
            let (next, overflow) = sum.addingReportingOverflow(chunk.length)
            guard chunk.length >= 0, !overflow else { return [] }
            sum = next
        }
        return sum == self.body.count ? self.chunks.filter { $0.length > 0 } : []
    }
}
