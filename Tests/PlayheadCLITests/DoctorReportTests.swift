import Testing

@testable import PlayheadCLI

@Suite struct DoctorReportTests {
    private let report = DoctorReport(
        findings: [
            DoctorFinding(name: "curl", program: "/usr/bin/curl", version: "8.14.1", state: .works),
            DoctorFinding(name: "swift", program: "/s", version: "6.3", state: .worksIsolated, fix: "run isolated"),
            DoctorFinding(
                name: "app", program: "/a", version: nil, state: .distrusts, fix: "set it", words: "a\nbad cert"),
            DoctorFinding(name: "old", program: "/o", version: "1.0", state: .bypasses, fix: "use 24"),
            DoctorFinding(name: "broken", program: "/b", version: "1", state: .fails, fix: "it could not be built"),
        ], missing: ["deno", "bun"])

    @Test func theTableSaysWhatToDo() {
        #expect(
            self.report.text == """
                CLIENT  VERSION  PROXIED  TRUSTED   HOW TO FIX
                curl    8.14.1   yes      yes
                swift   6.3      yes      isolated  run isolated
                app     ?        yes      no        set it (it says: bad cert)
                old     1.0      no       -         use 24
                broken  1        ?        ?         it could not be built
                not here: deno, bun

                """)
    }

    @Test func theJSONHasAVersionAndTheSameFacts() {
        let json = self.report.json
        #expect(
            json.hasPrefix(#"{"version":1,"clients":[{"name":"curl","program":"/usr/bin/curl","version":"8.14.1","#))
        #expect(json.contains(#""proxied":true,"trusted":true,"isolate":"trust","failed":false,"fix":"run isolated""#))
        #expect(json.contains(#""version":null,"proxied":true,"trusted":false,"isolate":null"#))
        #expect(json.contains(#""proxied":false,"trusted":false,"isolate":null,"failed":true"#))
        #expect(json.hasSuffix(#""missing":["deno","bun"]}"#))
    }
}
