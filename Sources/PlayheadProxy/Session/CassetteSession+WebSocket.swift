import PlayheadCassette
import PlayheadEngine
import Synchronization

extension CassetteSession {
    /// A WebSocket with all messages in memory.
    func loaded(_ socket: RecordedWebSocket) throws -> RecordedWebSocket {
        var result = socket
        for index in socket.frames.indices {
            guard case .file = socket.frames[index].payload.content else { continue }
            result.frames[index].payload.content = .octets(try self.loadBody(socket.frames[index].payload))
        }
        return result
    }

    /// A client said something else than in the recording: a miss, and the recording counts as not played.
    func countMiss(of play: Play, _ differences: [Difference]) -> MissReport {
        self.giveBack(play)
        let report = self.state.withLock { state in
            var report = state.playback.messageMiss(index: play.index, differences)
            report.id = "\(state.summary.missed + 1)"
            state.summary.note(report)
            return report
        }
        self.observe(.missed(report))
        return report
    }
}
