import Foundation

/// A forward proxy on loopback by `pproxy` (`Origin/proxy.py`) in a process of its own.
final class ForwardProxy: Sendable {
    let port: Int
    private let process: ChildProcess
    private let logFile: String

    /// - Parameter uri: what it speaks and to whom, as `http+socks5://127.0.0.1:0/#user:password`; `+ssl` for TLS.
    init(_ bench: Workbench, _ uri: String) async throws {
        guard let python = ClientPython.path else { throw HarnessError("the proxy needs `python3`") }
        let name = bench.folder + "/proxy-" + UUID().uuidString
        self.logFile = name + ".log"
        var command = [python, Playhead.resource("Origin/proxy.py"), uri, "--ports", name + ".ports", "--log", logFile]
        if uri.contains("+ssl") {
            command += [
                "--certificate", try Certificates.file("origin.pem"), "--key", try Certificates.file("origin.key"),
            ]
        }
        let process = try bench.start(command)
        self.process = process
        let ports: [String: Int] = try await eventually("the proxy is ready") {
            if let code = process.pollExit() { throw HarnessError("the proxy ended with \(code): \(process.errors)") }
            return FileManager.default.contents(atPath: name + ".ports")
                .flatMap { try? JSONDecoder().decode([String: Int].self, from: $0) }
        }
        self.port = ports["proxy"] ?? 0
    }

    /// What it was asked for, oldest first, as `http localhost:443` or `socks5 localhost:80`.
    var requests: [String] {
        String(decoding: FileManager.default.contents(atPath: self.logFile) ?? Data(), as: UTF8.self)
            .split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                guard words.count >= 4, words[2] == "->" else { return nil }
                return "\(words[0]) \(words[3])"
            }
    }

    func stop() { self.process.kill() }
}
