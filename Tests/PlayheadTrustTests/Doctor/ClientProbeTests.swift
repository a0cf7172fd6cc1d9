import Testing

@testable import PlayheadTrust

struct ClientProbeTests {
    static let all = ClientProbe.standard(isSuperuser: true)

    @Test func everyNameIsALabelOfAHostAndItsOwn() {
        #expect(Set(Self.all.map(\.name)).count == Self.all.count)
        for probe in Self.all {
            #expect(probe.name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }, "\(probe.name)")
            #expect(probe.host == probe.name + ".doctor.playhead.test")
        }
    }

    @Test(arguments: all.map(\.name))
    func everyPlaceIsFilledIn(name: String) throws {
        let probe = try #require(Self.all.first { $0.name == name })
        let texts = probe.command + probe.check + probe.version + probe.build + Array(probe.variables.values)
        for text in texts {
            let filled = probe.filled(text, program: "/p", folder: "/f")
            for place in ["{program}", "{folder}", "{url}", "{base}"] { #expect(!filled.contains(place)) }
        }
        let asked = (probe.command + probe.variables.values).map { probe.filled($0, program: "/p", folder: "/f") }
        #expect(asked.contains { $0.contains("https://\(probe.host)") }, "it asks for its own host")
    }

    @Test func chromiumKeepsItsSandboxForAnOrdinaryUser() throws {
        let probe = try #require(ClientProbe.standard(isSuperuser: false).first { $0.name == "chromium" })
        #expect(!probe.command.contains("--no-sandbox"))
        #expect(Self.all.first { $0.name == "chromium" }?.command.contains("--no-sandbox") == true)
    }
}
