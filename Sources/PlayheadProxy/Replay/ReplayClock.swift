import NIOCore
import PlayheadEngine

/// Holds the moments of one replay back until they are due: at the recorded times, or faster or slower.
///
/// Confined to the event loop. Each moment is asked for in order; a wait ends with `resume`, once.
final class ReplayClock {
    private let moments: PlaybackMoments
    private let speed: PlaybackSpeed
    private let start: NIODeadline
    private let eventLoop: any EventLoop
    private var timer: Scheduled<Void>?
    /// Goes on after a wait.
    var resume: () -> Void = {}

    init(_ moments: PlaybackMoments, speed: PlaybackSpeed, start: NIODeadline, eventLoop: any EventLoop) {
        self.moments = moments
        self.speed = speed
        self.start = start
        self.eventLoop = eventLoop
    }

    /// Whether a moment is due; if not, `resume` is called when it is.
    func isDue(_ moment: Int) -> Bool {
        guard self.timer == nil else { return false }
        let wait = self.speed.nanoseconds(after: self.moments.times[min(moment, self.moments.end)])
        let due = self.start + .nanoseconds(wait)
        guard due > .now() else { return true }
        self.timer = self.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
            self.timer = nil
            self.resume()
        }
        return false
    }

    /// Ends the wait without `resume`.
    func cancel() {
        self.timer?.cancel()
        self.timer = nil
        self.resume = {}
    }
}

@available(*, unavailable)
extension ReplayClock: Sendable {}
