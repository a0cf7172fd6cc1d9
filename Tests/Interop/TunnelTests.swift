import Foundation
import Testing

/// Tunnels that are passed through, circles of proxies, and more connections than there are descriptors.
@Suite("Tunnels and circles", .timeLimit(.minutes(10)))
struct TunnelTests {
    /// The bytes go through in every mode, `none` too: the user asked for the host by name.
    @Test(
        .enabled(if: ClientPython.path != nil, "python3 is not installed"),
        arguments: ["once", "new_episodes", "none", "all", "rewrite", "passthrough"])
    func bytesStayUntouchedInEveryMode(mode: String) async throws {
        try await withWorkbench { bench in
            let options = ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--mode", mode]
            let serve = try await Serve(bench, options + ["--tunnel", "127.0.0.1"])
            let script = Playhead.resource("Clients/tunnel.py")
            let done = try await bench.finish([try #require(ClientPython.path), script, "\(serve.port)"])
            #expect(done.text == "200 SSH-2.0-origin True\n", "\(done.errors)\n\(serve.process.errors)")
            #expect(try await serve.stop() == 0)
            #expect(serve.process.errors.contains("0 replayed, 0 recorded, 0 missed, 1 tunnelled"))
            for data in bench.storedFiles().values { #expect(data.range(of: Data("SSH-2.0".utf8)) == nil) }
        }
    }

    /// A client that takes one key alone meets the server's own certificate.
    @Test func aPinningClientMeetsTheServer() async throws {
        try await withWorkbench { bench in
            let origin = try await bench.origin()
            let certificate = try Certificates.file("origin.pem")
            let pin = try await bench.finish([
                "sh", "-c",
                "openssl x509 -in '\(certificate)' -pubkey -noout | openssl pkey -pubin -outform der "
                    + "| openssl dgst -sha256 -binary | openssl base64 -A",
            ])
            for (extra, code) in [(["--tunnel", "api.example.test"], Int32(0)), ([], 90)] {
                let serve = try await Serve(bench, try bench.options(for: origin) + extra)
                let trust = code == 0 ? try Certificates.file("ca.pem") : bench.folder + "/ca/ca.pem"
                let done = try await bench.finish([
                    "curl", "-s", "--max-time", "60", "--proxy", "http://127.0.0.1:\(serve.port)", "--cacert", trust,
                    "--pinnedpubkey", "sha256//" + pin.text, "https://api.example.test/json",
                ])
                #expect(done.code == code, "\(done.errors)\n\(serve.process.errors)")
                #expect(try await serve.stop() == 0)
            }
        }
    }

    /// Two proxies of which each is the other's upstream proxy, or the server behind the other's reverse port.
    @Test(arguments: [
        ("http://api.example.test/json", "http", "http"), ("https://api.example.test/json", "http", "http"),
        ("http://api.example.test/json", "socks5", "socks5"), ("https://api.example.test/json", "socks5", "socks5"),
        ("https://api.example.test/json", "socks5", "http"), ("reverse", "", "http"),
    ])
    func circlesAreToldInsteadOfRun(url: String, there: String, backwards: String) async throws {
        try await withWorkbench { bench in
            let free = try await bench.finish([
                "python3", "-c", "import socket; print(socket.create_server(('127.0.0.1', 0)).getsockname()[1])",
            ])
            let port = try #require(Int(free.text.trimmingCharacters(in: .whitespacesAndNewlines)))
            let ca = bench.folder + "/ca"
            let options = ["--ca-dir", ca, "--mode", "passthrough", "--cassettes"]
            let isReverse = url == "reverse"
            let ready = bench.folder + "/ready.json"
            let back = [
                "\(isReverse ? "--reverse" : "--upstream-proxy")",
                (isReverse ? "0=" : "") + "\(backwards)://127.0.0.1:\(port)",
            ]
            let other = try await Serve(bench, options + [bench.folder + "/other", "--ready-file", ready] + back)
            let trust = FileManager.default.fileExists(atPath: ca + "/ca.pem") ? ["--upstream-ca", ca + "/ca.pem"] : []
            let (place, way): (Int, [String])
            if isReverse {
                let text = try await eventually("the ready file") { FileManager.default.contents(atPath: ready) }
                struct Ready: Decodable {
                    struct Port: Decodable { let listen: String }
                    let reverse: [Port]
                }
                let listen = try JSONDecoder().decode(Ready.self, from: text).reverse.first?.listen ?? ""
                (place, way) = (port, ["--reverse", "\(port)=http://\(listen)"])
            } else {
                (place, way) = (
                    0, ["--listen", "127.0.0.1:\(port)", "--upstream-proxy", "\(there)://127.0.0.1:\(other.port)"]
                )
            }
            let serve = try await Serve(bench, options + [bench.folder + "/one"] + trust + way)
            let curl =
                isReverse
                ? ["curl", "-s", "--noproxy", "*", "--max-time", "30", "http://127.0.0.1:\(place)/json"]
                : serve.curl(bench).map {
                    $0.replacingOccurrences(of: "127.0.0.1:\(serve.port)", with: "127.0.0.1:\(port)")
                }
                    + [url]
            let done = try await bench.finish(curl + ["-w", " %{http_code}"])
            #expect(done.text.hasSuffix(" 508"), "\(done.text) \(done.errors)")
            #expect(try await serve.stop() == 0)
            #expect(try await other.stop() == 0)
        }
    }

    @Test(.enabled(if: Tool.find("prlimit") != nil && ClientPython.path != nil, "there is no prlimit or python3"))
    func saysSoWhenNoDescriptorsAreLeft() async throws {
        try await withWorkbench { bench in
            let serve = try await Serve(
                bench, ["--ca-dir", bench.folder + "/ca", "--cassettes", bench.cassettes, "--mode", "none"])
            let limit = try #require(serve.descriptors) + 8
            let pid = "\(serve.process.identifier)"
            #expect(try await bench.finish(["prlimit", "--pid", pid, "--nofile=\(limit):\(limit)"]).code == 0)
            let script = Playhead.resource("Clients/crowd.py")
            let done = try await bench.finish([try #require(ClientPython.path), script, "\(serve.port)", "40"])
            #expect(done.text == "['HTTP/1.1 503 Service Unavailable']\nHTTP/1.1 200 OK\n", "\(done.errors)")
            #expect(serve.process.errors.contains("ulimit -n"))
            #expect(try await serve.stop() == 0)
        }
    }
}
