import Foundation

/// A running `playhead serve` on a free port.
final class Serve: Sendable {
    let process: ChildProcess
    let port: Int

    init(_ bench: Workbench, _ options: [String], environment: [String: String] = [:]) async throws {
        let portFile = bench.folder + "/port-" + UUID().uuidString
        let process = try bench.start(
            [bench.binary, "serve", "--listen", "127.0.0.1:0", "--port-file", portFile]
                + (options.contains("--admin") ? [] : ["--admin", "off"]) + options,
            environment: environment)
        self.process = process
        self.port = try await eventually("serve is ready") {
            if let code = process.pollExit() { throw HarnessError("serve ended with \(code): \(process.errors)") }
            let text = FileManager.default.contents(atPath: portFile).map { String(decoding: $0, as: UTF8.self) }
            return text.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        }
    }

    /// The options that make `curl` use it.
    func curl(_ bench: Workbench) -> [String] {
        [
            "curl", "-s", "--max-time", "60", "--proxy", "http://127.0.0.1:\(self.port)", "--cacert",
            bench.folder + "/ca/ca.pem",
        ]
    }

    /// Ends it in the orderly way and returns its exit code.
    func stop() async throws -> Int32 {
        self.process.signal(SIGTERM)
        return try await self.process.exit(within: .seconds(60))
    }

    /// How many descriptors it has open (Linux), or nil where the system does not say.
    var descriptors: Int? {
        let folder = "/proc/\(self.process.identifier)/fd"
        return (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count
    }
}
