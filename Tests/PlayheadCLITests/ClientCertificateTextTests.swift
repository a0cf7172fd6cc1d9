import PlayheadEngine
import Testing

@testable import PlayheadCLI

@Suite struct ClientCertificateTextTests {
    @Test func readsHostAndFiles() throws {
        let entry = try #require(ClientCertificateText("*.example.com:8443=a.pem, b.key"))
        #expect(try entry.hosts == HostPattern("*.example.com:8443"))
        #expect(entry.certificateFile == "a.pem")
        #expect(entry.keyFile == "b.key")
        let one = try #require(ClientCertificateText("[::1]=both=1.pem"))
        #expect(one.certificateFile == "both=1.pem")
        #expect(one.keyFile == "both=1.pem")
    }

    @Test(arguments: ["", "a", "a=", "=b,c", "a=b,", "a=,c", "a=b,c,d", "a b=c"])
    func refusesOtherTexts(text: String) {
        #expect(ClientCertificateText(text) == nil)
    }

    @Test func pathsInAFileStartFromItsFolder() throws {
        let scratch = try Scratch()
        let path = try scratch.write("playhead.yaml", "client_cert:\n  - api.example=a.pem,/b.key\n")
        let file = try ConfigurationFile(path: path)
        #expect(file.entries[.clientCertificate]?.values == ["api.example=\(scratch.path)/a.pem,/b.key"])
    }

    @Test func saysWhichFileIsWrongAndWhatToDo() throws {
        let scratch = try Scratch()
        try scratch.write("empty.pem", "no certificate")
        try scratch.write("locked.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----\n")
        try scratch.write("old.key", "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n")
        func message(_ text: String) -> String? {
            failure {
                let settings = Settings(flags: [.clientCertificate: [text]], environment: [:], file: nil)
                _ = try UpstreamSettings(settings, scratch.host()).clientCertificates()
            }?.message
        }
        #expect(message("a=gone.pem,empty.pem")?.contains("\(scratch.path)/gone.pem cannot be read") == true)
        #expect(message("a=empty.pem,locked.key")?.contains("openssl pkey -in locked.key") == true)
        #expect(message("a=empty.pem,old.key")?.contains("encrypted") == true)
        #expect(message("a=empty.pem")?.contains("empty.pem, which cannot be used") == true)
        #expect(message("nothing")?.contains("HOST=CERT,KEY") == true)
    }
}
