import Foundation

/// The gRPC server on loopback (`Origin/grpc_origin.py`), over TLS and in clear text.
final class GRPCOrigin: Sendable {
    let ports: [String: Int]
    private let process: ChildProcess

    init(_ bench: Workbench) async throws {
        guard let python = ClientPython.path else { throw HarnessError("the gRPC origin needs `python3`") }
        let portsFile = bench.folder + "/grpc.ports"
        let process = try bench.start([
            python, Playhead.resource("Origin/grpc_origin.py"), "--certificate", try Certificates.file("origin.pem"),
            "--key", try Certificates.file("origin.key"), "--ports", portsFile,
        ])
        self.process = process
        self.ports = try await eventually("the gRPC origin is ready", within: .seconds(20)) {
            if let code = process.pollExit() {
                throw HarnessError("the gRPC origin ended with \(code): \(process.errors)")
            }
            return FileManager.default.contents(atPath: portsFile)
                .flatMap { try? JSONDecoder().decode([String: Int].self, from: $0) }
        }
    }

    func stop() { self.process.kill() }

    /// The options that lead the test's name to it.
    func options(_ bench: Workbench) throws -> [String] {
        [
            "--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--upstream-ca",
            try Certificates.file("ca.pem"), "--map", "api.example.test:443=127.0.0.1:\(self.ports["https"] ?? 0)",
            "--map", "api.example.test:80=127.0.0.1:\(self.ports["http"] ?? 0)",
        ]
    }
}
