import Foundation

/// The HTTPS and HTTP origin on loopback (`Origin/origin.py`) in a process of its own.
final class Origin: Sendable {
    let ports: [String: Int]
    private let process: ChildProcess
    private let logFile: String

    init(in folder: String, environment: [String: String], git: String?) async throws {
        guard let python = ClientPython.path else { throw HarnessError("the origin needs `python3`") }
        self.logFile = folder + "/origin.log"
        let portsFile = folder + "/origin-\(UUID().uuidString).ports"
        var command = [
            python, Playhead.resource("Origin/origin.py"), "--certificate", try Certificates.file("origin.pem"),
            "--key",
            try Certificates.file("origin.key"), "--log", self.logFile, "--ports", portsFile,
        ]
        for name in ["expired", "wronghost", "selfsigned"] {
            command += [
                "--extra", "\(name)=\(try Certificates.file(name + ".pem")),\(try Certificates.file("origin.key"))",
            ]
        }
        command += ["--mutual", try Certificates.file("ca.pem")]
        if let git { command += ["--git", git] }
        let process = try ChildProcess(
            command, environment: environment, folder: folder, output: folder + "/origin.out",
            errors: folder + "/origin.err")
        self.process = process
        self.ports = try await eventually("the origin is ready") {
            if let code = process.pollExit() {
                throw HarnessError("the origin ended with \(code): \(process.errors)")
            }
            return FileManager.default.contents(atPath: portsFile)
                .flatMap { try? JSONDecoder().decode([String: Int].self, from: $0) }
        }
    }

    func port(_ name: String) -> Int { self.ports[name] ?? 0 }

    func stop() { self.process.kill() }

    private var log: [Substring] {
        String(decoding: FileManager.default.contents(atPath: self.logFile) ?? Data(), as: UTF8.self).split(
            separator: "\n")
    }

    /// The requests it has read so far, as `GET /json`, oldest first.
    var requests: [String] {
        self.log.filter { $0.hasPrefix("request ") }.map { line in
            line.split(separator: " ").dropFirst(2).joined(separator: " ")
        }
    }

    /// How many connections it has accepted.
    var connections: Int { self.log.count { $0.hasPrefix("connection ") } }
}
