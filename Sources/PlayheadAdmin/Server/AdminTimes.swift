import NIOCore

/// How long the stages of a connection to the admin API may take.
struct AdminTimes: Sendable {
    /// A request may take so long to arrive, and a connection may be idle so long.
    var request = TimeAmount.seconds(60)
    /// An answer may take so long to be made: a cassette is read or saved, at most.
    var answer = TimeAmount.minutes(5)
    /// A client that takes nothing of an answer, or of events, for so long is let go.
    var progress = TimeAmount.seconds(60)
}
