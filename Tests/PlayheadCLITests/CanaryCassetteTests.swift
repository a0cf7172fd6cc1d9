import NIOCore
import PlayheadCassette
import PlayheadHTTP
import PlayheadTrust
import Testing

@testable import PlayheadCLI

@Suite struct CanaryCassetteTests {
    private let probes = ClientProbe.standard(isSuperuser: false)

    @Test func theTokenPassesForACommit() {
        let canary = CanaryCassette(now: Timestamp(milliseconds: 0), random: { 0x1f })
        #expect(canary.token == "000000000000001f000000000000001f00000000")
        #expect(
            CanaryCassette(now: Timestamp(milliseconds: 0)).token
                != CanaryCassette(now: Timestamp(milliseconds: 0)).token)
    }

    @Test func everyClientHasAnAnswerThatHoldsTheToken() throws {
        let canary = CanaryCassette(now: Timestamp(milliseconds: 0))
        let cassette = canary.cassette(for: self.probes)
        #expect(Set(cassette.exchanges.map(\.id)).count == cassette.exchanges.count)
        for probe in self.probes {
            let bodies = cassette.exchanges.filter { $0.request.url.hasPrefix("https://\(probe.host)/") }.map {
                exchange in
                guard case .response(let response) = exchange.outcome, case .octets(let octets) = response.body.content
                else { return "" }
                #expect(response.headers.first("content-length") == "\(octets.readableBytes)")
                return String(buffer: octets)
            }
            #expect(bodies.contains { $0.contains(canary.token) }, "\(probe.name)")
        }
    }
}
