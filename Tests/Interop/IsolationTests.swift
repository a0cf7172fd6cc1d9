#if os(Linux)
    import Foundation
    import Testing

    /// `run --isolate`: clients that read no variable, and clients that go past the proxy.
    @Suite("Isolation", .timeLimit(.minutes(10)), .enabled(if: Namespaces.areAllowed, "no namespaces for us here"))
    struct IsolationTests {
        static let url = "https://api.example.test"
        /// A client that knows where the proxy is and nothing of our CA.
        static let bareWget = ["sh", "-c", "env -i https_proxy=$https_proxy wget -q --tries=1 -O - \(url)/json?x=1"]

        @Test(.enabled(if: Tool.has("swiftc"), "swiftc is not installed"))
        func urlSessionIsRecordedAndReplayed() async throws {
            try await withWorkbench { bench in
                let program = bench.file("fetch")
                let built = try await bench.finish(
                    ["swiftc", "-parse-as-library", Playhead.resource("Clients/urlsession.swift"), "-o", program])
                try #require(built.code == 0, "\(built.errors)")
                let answer = try await bench.recordsAndReplays(
                    [program, Self.url + "/json?x=1", Self.url + "/redirect/1"], options: ["--isolate", "trust"])
                #expect(answer.text.hasPrefix("200 "))
            }
        }

        @Test(.enabled(if: Tool.has("wget"), "wget is not installed"))
        func trustReachesAClientWithoutVariables() async throws {
            try await withWorkbench { bench in
                let origin = try await bench.origin()
                let options = try bench.options(for: origin)
                let without = try await bench.run(options, Self.bareWget)
                #expect(without.code != 0)
                #expect(without.summary?.recorded == 0)
                origin.stop()
                try await bench.recordsAndReplays(Self.bareWget, exchanges: 1, options: ["--isolate", "trust"])
            }
        }

        @Test func theMachinesOwnStoreStaysAsItIs() async throws {
            try await withWorkbench { bench in
                let bundle = "/etc/ssl/certs/ca-certificates.crt"
                let before = FileManager.default.contents(atPath: bundle)
                try #require(before != nil, "no \(bundle) here")
                let result = try await bench.run(
                    ["--ca-dir", bench.folder + "/ca", "--isolate", "trust"], ["cat", bundle])
                #expect(result.code == 0, "\(result.errors)")
                #expect(result.output != before)
                #expect(result.text.contains("BEGIN CERTIFICATE"))
                #expect(FileManager.default.contents(atPath: bundle) == before)
            }
        }

        @Test func networkMakesABypassFail() async throws {
            try await withWorkbench { bench in
                let origin = try await bench.origin()
                let options = try bench.options(for: origin)
                let direct = ["curl", "-sk", "--noproxy", "*", "https://127.0.0.1:\(origin.port("https"))/json"]
                let leak = try await bench.run(options + ["--isolate", "env"], direct)
                #expect(leak.code == 0, "\(leak.errors)")
                let before = origin.connections
                let held = try await bench.run(options + ["--isolate", "network"], direct)
                #expect(held.code == 7, "curl's code for a refused connection: \(held.errors)")
                #expect(origin.connections == before)
            }
        }

        @Test func networkLetsTheProxyAndOwnServersThrough() async throws {
            try await withWorkbench { bench in
                let script = """
                    set -e
                    curl -s \(Self.url)/json?x=1
                    \(ClientPython.path ?? "python3") - <<'END'
                    import socket, urllib.request, threading, http.server
                    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
                    threading.Thread(target=server.serve_forever, daemon=True).start()
                    print(urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/").status)
                    END
                    """
                let answer = try await bench.recordsAndReplays(
                    ["sh", "-c", script], exchanges: 1, options: ["--isolate", "network"])
                #expect(answer.text.hasSuffix("200\n"))
            }
        }

        @Test(.enabled(if: geteuid() == 0 && Tool.has("setpriv"), "only root can become another user"))
        func anOrdinaryUserMayIsolateToo() async throws {
            try await withWorkbench { bench in
                for path in [bench.folder, bench.folder + "/tmp", bench.folder + "/home"] { chmod(path, 0o777) }
                let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
                let result = try await bench.finish(
                    user + [bench.binary, "run", "--mode", "passthrough", "--isolate", "network", "--", "sh", "-c"]
                        + ["id -u; env -i https_proxy=$https_proxy curl -sS https://playhead.internal/ca.pem"])
                #expect(result.code == 0, "\(result.errors)")
                #expect(result.text.hasPrefix("65534\n-----BEGIN CERTIFICATE-----"), "\(result.errors)")
            }
        }

        /// A user namespace that may have no further ones, and a process without capabilities in it.
        @Test(
            .enabled(
                if: Tool.output(of: ["unshare", "--user", "--map-root-user", "setpriv", "--bounding-set=-all", "true"])
                    != nil, "no user namespaces to forbid them in"))
        func aKernelThatForbidsItIsTold() async throws {
            try await withWorkbench { bench in
                let forbid = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\""
                let result = try await bench.finish(
                    [
                        "unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh", "setpriv",
                        "--bounding-set=-all",
                    ]
                        + ["--inh-caps=-all", bench.binary, "run", "--mode", "passthrough", "--isolate", "trust", "--"]
                        + ["sh", "-c", "echo it ran"])
                #expect(result.code == 125, "\(result.errors)")
                #expect(result.text.isEmpty)
                #expect(
                    result.errors.contains("--isolate trust needs namespaces, which this system does not let us have"))
                #expect(result.errors.contains("playhead cert install"))
            }
        }

        @Test func codesAndSignalsOfTheCommandStay() async throws {
            try await withWorkbench { bench in
                let options = ["--ca-dir", bench.folder + "/ca", "--isolate", "network"]
                #expect(try await bench.run(options, ["sh", "-c", "exit 9"]).code == 9)
                #expect(try await bench.run(options, ["sh", "-c", "kill -9 $$"]).code == 137)
                #expect(try await bench.run(options, ["no-such-command"]).code == 127)
                try bench.write("broken", "#!/no/such/interpreter\n")
                chmod(bench.file("broken"), 0o755)
                #expect(try await bench.run(options, [bench.file("broken")]).code == 126)
                #expect(try await bench.run(["--isolate", "wide"], ["true"]).code == 64)
            }
        }
    }

    /// Whether this machine lets us have namespaces, so that a machine that does not skips with a reason.
    enum Namespaces {
        static let areAllowed =
            Tool.output(of: ["unshare", "--mount", "--net", "true"]) != nil
            || Tool.output(of: ["unshare", "--user", "--map-root-user", "--mount", "--net", "true"]) != nil
    }
#endif
