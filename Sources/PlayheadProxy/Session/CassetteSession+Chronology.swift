import PlayheadCassette
import PlayheadEngine
import Synchronization

extension CassetteSession {
    /// At most this many recordings that did not come are named.
    private static let namedAbsenceLimit = 10

    /// Whether the next part of an answer may be sent; if not, `wake` is called, once, when it may.
    func isTurn(_ play: Play, moment: Int, wake: @escaping SessionChronology.Wake) -> Bool {
        let (isTurn, others) = self.state.withLock { state -> (Bool, [SessionChronology.Wake]) in
            guard play.round == state.round else { return (true, []) }
            return state.chronology?.isTurn(play.index, moment: moment, wake) ?? (true, [])
        }
        for wake in others { wake() }
        return isTurn
    }

    /// Notes that the first `count` parts of an answer were sent.
    func sent(_ play: Play, first count: Int) {
        let wakes = self.state.withLock { state in
            play.round == state.round ? state.chronology?.sent(play.index, first: count) ?? [] : []
        }
        for wake in wakes { wake() }
    }

    /// How far the chronological replay is; it does not move while all wait for what nobody asks for.
    var chronologyFront: Int { self.state.withLock { $0.chronology?.front ?? 0 } }

    /// Gives up on recordings that an answer waits for although nobody asks for them.
    func passOver(for play: Play) {
        let wakes = self.state.withLock { state -> [SessionChronology.Wake] in
            guard play.round == state.round, let (passed, wakes) = state.chronology?.passOver(for: play.index) else {
                return []
            }
            for index in passed where state.absent < Self.namedAbsenceLimit {
                state.absent += 1
                let request = state.playback.exchanges[index].request
                state.summary.warn(
                    "chronological playback: \(request.method) \(self.options.redactor.logURL(request.url)) did not "
                        + "come within \(self.options.patience.description) ms, so nothing waits for it any more")
            }
            return wakes
        }
        for wake in wakes { wake() }
    }
}
