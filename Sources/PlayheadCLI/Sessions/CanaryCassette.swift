import NIOCore
import PlayheadCassette
import PlayheadHTTP
import PlayheadTrust

/// The recordings that `doctor` answers with: nothing goes to the network.
struct CanaryCassette {
    /// What a client prints when it was answered by us; forty hexadecimal digits, so that it passes for a git commit.
    let token: String
    let now: Timestamp

    init(now: Timestamp, random: () -> UInt64 = { UInt64.random(in: .min ... .max) }) {
        let digits = (0..<3).map { _ in
            let text = String(random(), radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        self.token = String(digits.joined().prefix(40))
        self.now = now
    }

    /// The recordings for some clients.
    func cassette(for probes: [ClientProbe]) -> Cassette {
        var exchanges: [Exchange] = []
        for probe in probes {
            for (path, type, text) in self.answers(probe) {
                exchanges.append(
                    Exchange(
                        id: "\(exchanges.count + 1)", recordedAt: self.now,
                        request: RecordedRequest(method: "GET", url: "https://\(probe.host)\(path)"),
                        outcome: .response(
                            RecordedResponse(
                                status: 200, reason: "OK",
                                headers: HeaderList([
                                    ("Content-Type", type), ("Content-Length", "\(text.utf8.count)"),
                                ]), body: RecordedBody(.octets(ByteBuffer(string: text)))))))
            }
        }
        return Cassette(recordedWith: Version.program, exchanges: exchanges)
    }

    private func answers(_ probe: ClientProbe) -> [(path: String, type: String, text: String)] {
        switch probe.name {
        case "git":
            // The protocol of a plain web server: the list of references is a file.
            return [
                (
                    "/canary.git/info/refs?service=git-upload-pack", "text/plain",
                    "\(self.token)\trefs/heads/main\n"
                ), ("/canary.git/HEAD", "text/plain", "ref: refs/heads/main\n"),
            ]
        case "cargo":
            let entry =
                #"{"name":"playhead-canary","vers":"1.0.0","deps":[],"features":{},"yanked":false,"cksum":""#
                + self.token + String(repeating: "0", count: 24) + "\"}\n"
            return [
                ("/config.json", "application/json", #"{"dl":"https://\#(probe.host)/dl"}"#),
                ("/pl/ay/playhead-canary", "text/plain", entry),
            ]
        case "npm":
            let version = #"{"name":"playhead-canary","version":"1.0.0","description":"\#(self.token)"}"#
            return [
                (
                    "/playhead-canary", "application/json",
                    #"{"name":"playhead-canary","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":\#(version)}}"#
                )
            ]
        default: return [("/canary", "text/plain", self.token + "\n")]
        }
    }
}
