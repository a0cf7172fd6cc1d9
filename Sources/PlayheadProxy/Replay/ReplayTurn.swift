import NIOCore

/// Holds the parts of one replay back until all parts recorded before them, of whatever answer, have been sent.
///
/// Confined to the event loop; other loops wake it through a task. While nothing moves it gives up, after the session's
/// patience, on recordings that nobody asks for.
final class ReplayTurn {
    private let play: CassetteSession.Play
    private let session: CassetteSession
    private let eventLoop: any EventLoop
    private var timer: Scheduled<Void>?
    private var isCancelled = false
    /// Goes on after a wait.
    var resume: () -> Void = {}

    init(_ play: CassetteSession.Play, session: CassetteSession, eventLoop: any EventLoop) {
        self.play = play
        self.session = session
        self.eventLoop = eventLoop
    }

    /// Whether a part may be sent; if not, `resume` is called when it may.
    func isDue(_ moment: Int) -> Bool {
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        let eventLoop = self.eventLoop
        let isTurn = self.session.isTurn(self.play, moment: moment) { eventLoop.execute { bound.value.wake() } }
        if isTurn { self.stopTimer() } else if self.timer == nil { self.startTimer() }
        return isTurn
    }

    /// The first `count` parts were sent.
    func sent(first count: Int) { self.session.sent(self.play, first: count) }

    /// Ends the wait without `resume`.
    func cancel() {
        self.isCancelled = true
        self.stopTimer()
        self.resume = {}
    }

    private func wake() {
        guard !self.isCancelled else { return }
        self.stopTimer()
        self.resume()
    }

    private func startTimer() {
        let front = self.session.chronologyFront
        let patience = TimeAmount.milliseconds(self.session.options.patience)
        self.timer = self.eventLoop.assumeIsolated().scheduleTask(in: patience) {
            self.timer = nil
            guard !self.isCancelled else { return }
            self.startTimer()
            if self.session.chronologyFront == front { self.session.passOver(for: self.play) }
        }
    }

    private func stopTimer() {
        self.timer?.cancel()
        self.timer = nil
    }
}

@available(*, unavailable)
extension ReplayTurn: Sendable {}
