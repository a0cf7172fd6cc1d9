import Foundation

/// An origin that speaks HTTP/2 over TLS: hypercorn (`Origin/http2_origin.py`) or nginx.
final class HTTP2Origin: Sendable {
    enum Server: String, CaseIterable { case hypercorn, nginx }

    let port: Int
    private let process: ChildProcess

    init(_ server: Server, _ bench: Workbench) async throws {
        switch server {
        case .hypercorn:
            guard let python = ClientPython.path else { throw HarnessError("hypercorn needs `python3`") }
            let portsFile = bench.folder + "/http2.ports"
            let process = try bench.start([
                python, Playhead.resource("Origin/http2_origin.py"), "--certificate",
                try Certificates.file("origin.pem"), "--key", try Certificates.file("origin.key"), "--ports", portsFile,
            ])
            self.process = process
            self.port = try await eventually("hypercorn is ready", within: .seconds(20)) {
                if let code = process.pollExit() {
                    throw HarnessError("hypercorn ended with \(code): \(process.errors)")
                }
                let ports = FileManager.default.contents(atPath: portsFile)
                    .flatMap { try? JSONDecoder().decode([String: Int].self, from: $0) }
                return ports?["https"]
            }
        case .nginx:
            let port = try Self.freePort()
            self.port = port
            let process = try Self.nginx(bench, port)
            self.process = process
            try await eventually("nginx is ready", within: .seconds(20)) {
                if let code = process.pollExit() { throw HarnessError("nginx ended with \(code): \(process.errors)") }
                return FileManager.default.fileExists(atPath: bench.folder + "/nginx.pid") ? true : nil
            }
        }
    }

    static func isInstalled(_ server: Server) -> Bool {
        switch server {
        case .hypercorn: ClientPython.has("hypercorn")
        case .nginx: Self.nginxPath != nil
        }
    }

    /// Debian has it in a folder that is on the administrator's path alone.
    private static let nginxPath: String? =
        Tool.find("nginx") ?? ["/usr/sbin/nginx"].first { access($0, X_OK) == 0 }

    func stop() { self.process.kill() }

    /// The options that lead the test's name to it.
    func options(_ bench: Workbench) throws -> [String] {
        [
            "--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--upstream-ca",
            try Certificates.file("ca.pem"), "--map", "api.example.test:443=127.0.0.1:\(self.port)",
        ]
    }

    private static func nginx(_ bench: Workbench, _ port: Int) throws -> ChildProcess {
        guard let nginx = self.nginxPath else { throw HarnessError("`nginx` is not installed on this machine") }
        try bench.write("www/big", Data(repeating: UInt8(ascii: "x"), count: 1 << 20))
        let folder = bench.folder
        let text = """
            daemon off;
            master_process off;
            pid \(folder)/nginx.pid;
            error_log stderr;
            events {}
            http {
                access_log off;
                client_body_temp_path \(folder)/n1; proxy_temp_path \(folder)/n2; fastcgi_temp_path \(folder)/n3;
                uwsgi_temp_path \(folder)/n4; scgi_temp_path \(folder)/n5;
                server {
                    listen 127.0.0.1:\(port) ssl http2;
                    ssl_certificate \(try Certificates.file("origin.pem"));
                    ssl_certificate_key \(try Certificates.file("origin.key"));
                    location / { return 200 "$server_protocol $request_method $uri\\n"; }
                    location = /big { root \(bench.work)/www; }
                }
            }
            """
        let file = try bench.write("nginx.conf", text)
        return try bench.start([nginx, "-p", folder, "-e", "stderr", "-c", file])
    }

    private static func freePort() throws -> Int {
        let free = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"
        guard let python = ClientPython.path, let port = Tool.output(of: [python, "-c", free]).flatMap({ Int($0) })
        else { throw HarnessError("no free port for nginx") }
        return port
    }
}
