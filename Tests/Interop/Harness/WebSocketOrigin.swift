import Foundation

/// WebSocket servers of two Python libraries on loopback (`Origin/sockets.py`) in a process of their own.
final class WebSocketOrigin: Sendable {
    static let hosts = ["websockets": "chat.example.test", "aiohttp": "talk.example.test"]
    private let ports: [String: Int]
    private let process: ChildProcess

    init(_ bench: Workbench) async throws {
        guard let python = ClientPython.path else { throw HarnessError("the origin needs `python3`") }
        let portsFile = bench.folder + "/sockets.ports"
        let process = try bench.start([
            python, Playhead.resource("Origin/sockets.py"), "--certificate", try Certificates.file("origin.pem"),
            "--key", try Certificates.file("origin.key"), "--ports", portsFile,
        ])
        self.process = process
        self.ports = try await eventually("the WebSocket origin is ready") {
            if let code = process.pollExit() {
                throw HarnessError("the WebSocket origin ended with \(code): \(process.errors)")
            }
            return FileManager.default.contents(atPath: portsFile)
                .flatMap { try? JSONDecoder().decode([String: Int].self, from: $0) }
        }
    }

    func stop() { self.process.kill() }

    /// The options that lead its hosts to it, and trust its certificate.
    func options(_ bench: Workbench) throws -> [String] {
        let maps = Self.hosts.flatMap { library, host in
            [
                "--map", "\(host):443=127.0.0.1:\(self.ports[library] ?? 0)",
                "--map", "\(host):80=127.0.0.1:\(self.ports[library + "-plain"] ?? 0)",
            ]
        }
        return [
            "--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--upstream-ca",
            try Certificates.file("ca.pem"),
        ] + maps
    }
}
