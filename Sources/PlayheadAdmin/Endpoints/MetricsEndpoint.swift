import PlayheadCassette
import PlayheadEngine
import PlayheadProxy

extension AdminService {
    /// The counts in Prometheus's text format, version 0.0.4.
    func metrics() async -> AdminResponse {
        let context = self.context
        var text = PrometheusText()
        text.add("playhead_info", .gauge, "The program.", [("version", context.version)], 1)
        text.add("playhead_ready", .gauge, "Whether all is up and the end has not begun.", [], self.isReady ? 1 : 0)
        text.add(
            "playhead_start_time_seconds", .gauge, "When the process began to serve, in Unix time.", [],
            Int(clamping: self.startedAt.milliseconds / 1000))
        text.add(
            "playhead_client_connections", .gauge, "Client connections that are open.", [],
            await context.server.connectionCount())
        let sessions = self.views
        text.add("playhead_sessions", .gauge, "Sessions that are open.", [], sessions.count)
        let samples = sessions.map { view in
            (
                labels: [("session", view.id), ("cassette", view.session.location.name.description)],
                summary: view.session.summary
            )
        }
        for (labels, summary) in samples {
            for (outcome, count) in Self.outcomes(summary) {
                text.add(
                    "playhead_exchanges_total", .counter, "Exchanges by cassette and by what became of them.",
                    labels + [("outcome", outcome)], count)
            }
        }
        for (labels, summary) in samples {
            text.add(
                "playhead_upstream_failures_total", .counter, "Exchanges that failed upstream.", labels,
                summary.failed)
        }
        for (labels, summary) in samples {
            text.add(
                "playhead_client_tls_failures_total", .counter, "Clients that refused our certificate.",
                labels, summary.failedTLS)
        }
        let staged = context.server.staged.totals
        text.add("playhead_mocked_total", .counter, "Requests that a mock answered.", [], staged.mocked)
        text.add("playhead_faults_total", .counter, "Requests that a fault struck.", [], staged.faulted)
        return .text(text.text, type: "text/plain; version=0.0.4; charset=utf-8")
    }

    private static func outcomes(_ summary: RunSummary) -> [(String, Int)] {
        [
            ("replayed", summary.replayed), ("recorded", summary.recorded), ("missed", summary.missed),
            ("tunnelled", summary.tunnelled), ("ignored", summary.ignored),
        ]
    }
}
