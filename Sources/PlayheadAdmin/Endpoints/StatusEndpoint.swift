import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadProxy

extension AdminService {
    /// What runs, where it listens, and what came of it so far.
    func status() async -> AdminResponse {
        let context = self.context
        let connections = await context.server.connectionCount()
        let now = context.clock().milliseconds
        var total = RunSummary()
        let sessions = context.sessions.all
        for session in sessions { total.add(session.summary) }
        return .json { writer in
            writer.member("version", context.version)
            writer.member("ready") { $0.bool(self.isReady) }
            writer.member("started_at", self.startedAt.description)
            writer.member("uptime_ms", Int(clamping: max(0, now - self.startedAt.milliseconds)))
            writer.member("listen") { writer in
                writer.array { writer in
                    for address in context.server.addresses {
                        writer.string(
                            ListenAddress(host: address.ipAddress ?? "", port: address.port ?? 0).description)
                    }
                }
            }
            writer.member("connections", connections)
            writer.member("sessions", sessions.count)
            writer.member("counts") { $0.object { total.writeCounts(to: &$0) } }
        }
    }
}
