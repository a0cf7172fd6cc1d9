import PlayheadTrust
import Testing

@testable import PlayheadCLI

@Suite struct DoctorCommandTests {
    private let probes = ClientProbe.standard(isSuperuser: false)

    @Test func asksAllOrThoseThatAreNamed() throws {
        #expect(try DoctorCommand.chosen([], from: self.probes).count == self.probes.count)
        #expect(
            try DoctorCommand.chosen(["git, curl", "java"], from: self.probes).map(\.name) == ["curl", "git", "java"])
    }

    @Test func aNameThatIsNoneIsTold() {
        let failure = failure { _ = try DoctorCommand.chosen(["netscape"], from: self.probes) }
        #expect(failure?.code == .usage)
        #expect(failure?.message.contains("curl, wget") == true)
    }
}
