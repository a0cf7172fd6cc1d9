import Foundation
import NIOCore
import PlayheadHTTP
import PlayheadProxy
import Testing

@testable import PlayheadAdmin

@Suite struct AdminServiceTests {
    @Test func unknownPathsAndMethodsAreToldApart() async throws {
        try await TestAdmin.run { admin in
            #expect(await admin.ask("GET", "/nothing").status == 404)
            #expect(await admin.ask("GET", "/api/v1/%zz").status == 400)
            let response = await admin.ask("DELETE", "/api/v1/status")
            #expect(response.status == 405)
            #expect(response.headers.first("allow") == "GET, HEAD")
            #expect(response.headers.first("content-type") == "application/problem+json")
            #expect(!response.headers.contains("access-control-allow-origin"))
            #expect(await admin.ask("OPTIONS", "/api/v1/status").status == 405, "no CORS")
        }
    }

    @Test func readinessFollowsTheProcess() async throws {
        try await TestAdmin.run { admin in
            #expect(await admin.ask("GET", "/healthz").status == 200)
            #expect(await admin.ask("GET", "/readyz").status == 503)
            admin.service.setReady(true)
            #expect(await admin.ask("GET", "/readyz").status == 200)
            admin.service.setReady(false)
            #expect(await admin.ask("GET", "/readyz").status == 503)
        }
    }

    @Test func givesThePublicCertificateAndNoKey() async throws {
        try await TestAdmin.run { admin in
            let text = String(buffer: await admin.ask("GET", "/ca.pem").body)
            #expect(text == admin.context.certificatePEM)
            #expect(text.hasPrefix("-----BEGIN CERTIFICATE-----") && !text.contains("PRIVATE"))
        }
    }

    @Test func statusTellsWhatRuns() async throws {
        try await TestAdmin.run { admin in
            let status = try await admin.object("GET", "/api/v1/status")
            #expect(status["version"] as? String == "1.2.3")
            #expect(status["listen"] as? [String] == ["127.0.0.1:\(admin.server.addresses[0].port ?? 0)"])
            #expect((status["counts"] as? [String: Int])?["missed"] == 0)
        }
    }

    @Test func metricsAreInPrometheusText() async throws {
        try await TestAdmin.run { admin in
            let response = await admin.ask("GET", "/metrics")
            #expect(response.headers.first("content-type")?.hasPrefix("text/plain; version=0.0.4") == true)
            let lines = String(buffer: response.body).split(separator: "\n")
            #expect(lines.contains("playhead_info{version=\"1.2.3\"} 1"))
            #expect(lines.contains("# TYPE playhead_exchanges_total counter"))
            #expect(
                lines.contains { $0.hasPrefix("playhead_exchanges_total{") && $0.hasSuffix("outcome=\"missed\"} 0") })
            let samples = lines.filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != " " } }
            #expect(Set(samples).count == samples.count, "no series comes twice")
        }
    }
}
