import Foundation
import Testing

/// Programs other than curl, each recorded and then replayed with the origin stopped.
@Suite("Clients", .timeLimit(.minutes(10)))
struct ClientTests {
    static let url = "https://api.example.test"

    // MARK: wget and git

    @Test(
        .enabled(if: Tool.has("wget"), "wget is not installed"),
        arguments: [
            ["/json?x=1"], ["/bytes/200000"], ["/redirect/1"], ["--post-data=a=1", "/echo"],
            ["-S", "/chunks?sizes=1,200,3"],
            ["--compression=auto", "/gzip"],
        ])
    func wget(_ arguments: [String]) async throws {
        try await withWorkbench { bench in
            let path = try #require(arguments.last)
            try await bench.recordsAndReplays(
                ["wget", "-q", "--tries=1", "--timeout=60", "-O", "-"] + arguments.dropLast() + [Self.url + path])
        }
    }

    @Test(.enabled(if: Tool.has("wget"), "wget is not installed"))
    func wgetOverPlainHTTP() async throws {
        try await withWorkbench { bench in
            try await bench.recordsAndReplays(
                ["wget", "-q", "--tries=1", "-O", "-", "http://api.example.test/json"], exchanges: 1)
        }
    }

    @Test(.enabled(if: Tool.has("git"), "git is not installed"))
    func gitClone() async throws {
        try await withWorkbench { bench in
            let make = """
                set -e
                git init -q source && cd source
                git config user.email a@example.test && git config user.name A && git config commit.gpgsign false
                for n in 1 2 3 4 5; do
                    openssl rand -hex 20000 > file$n.txt; mkdir -p d$n; echo $n > d$n/note; git add -A; git commit -qm "commit $n"
                done
                git tag v1
                cd .. && git clone -q --bare source repository.git && git -C repository.git repack -qad
                git -C repository.git update-server-info
                """
            let made = try await bench.finish(["sh", "-c", make])
            try #require(made.code == 0, "\(made.errors)")
            let clone = """
                set -e
                rm -rf clone && git clone -q https://git.example.test/git/repository.git clone
                cd clone && git rev-parse HEAD v1 && git log --format=%s && git ls-files -s && cat file3.txt
                """
            let answer = try await bench.recordsAndReplays(["sh", "-c", clone], git: bench.work)
            #expect(answer.text.contains("commit 5\ncommit 4\n"))
        }
    }

    // MARK: Python

    private func python(_ library: String) async throws {
        try await withWorkbench { bench in
            let python = try #require(ClientPython.path)
            let answer = try await bench.recordsAndReplays(
                [python, Playhead.resource("Clients/client.py"), library, Self.url])
            #expect(answer.text.hasPrefix("200 "))
            try Self.expectRedaction(bench)
        }
    }

    /// The secret was sent and is gone, rather than never sent.
    private static func expectRedaction(_ bench: Workbench) throws {
        #expect(try bench.cassetteText().contains("[REDACTED:"))
    }

    @Test(.enabled(if: ClientPython.path != nil, "no python3"))
    func pythonURLLib() async throws { try await self.python("urllib") }

    @Test(
        .enabled(
            if: ClientPython.has("requests"), "the Python module requests is not installed (PLAYHEAD_CLIENTS_PYTHON)"))
    func pythonRequests() async throws { try await self.python("requests") }

    @Test(.enabled(if: ClientPython.has("httpx"), "the Python module httpx is not installed (PLAYHEAD_CLIENTS_PYTHON)"))
    func pythonHTTPX() async throws { try await self.python("httpx") }

    @Test(
        .enabled(
            if: ClientPython.has("aiohttp"), "the Python module aiohttp is not installed (PLAYHEAD_CLIENTS_PYTHON)"))
    func pythonAIOHTTP() async throws { try await self.python("aiohttp") }

    // MARK: Node and Java

    /// Only `NODE_EXTRA_CA_CERTS` can make Node trust us here: the script names no CA.
    @Test(.enabled(if: Tool.has("node"), "node is not installed"))
    func nodeThroughATunnelOfItsOwn() async throws {
        try await withWorkbench { bench in
            let answer = try await bench.recordsAndReplays(
                ["node", Playhead.resource("Clients/client.mjs"), "connect", Self.url], exchanges: 5)
            #expect(answer.text.hasPrefix("200 "))
        }
    }

    /// Whether `fetch` follows the proxy variables: 22.21 or later of the 22 line, 24 or later.
    static let nodeKnowsProxies: Bool = {
        guard let text = Tool.output(of: ["node", "-p", "process.versions.node"]) else { return false }
        let parts = text.split(separator: ".").compactMap { Int($0) }
        guard parts.count >= 2 else { return false }
        return parts[0] >= 24 || (parts[0] == 22 && parts[1] >= 21)
    }()

    @Test(.enabled(if: nodeKnowsProxies, "node is missing or older than 22.21, whose fetch ignores proxies"))
    func nodeFetch() async throws {
        try await withWorkbench { bench in
            try await bench.recordsAndReplays(
                ["node", Playhead.resource("Clients/client.mjs"), "fetch", Self.url], exchanges: 5)
        }
    }

    @Test(.enabled(if: Tool.has("java"), "java is not installed"))
    func java() async throws {
        try await withWorkbench { bench in
            let answer = try await bench.recordsAndReplays(
                ["java", Playhead.resource("Clients/Fetch.java"), Self.url], exchanges: 7)
            #expect(answer.text.split(separator: "\n").count == 5)
        }
    }

    // MARK: raw bytes

    /// A client that shows every byte: framing, header bytes and the way the connection ends are the same at replay.
    @Test(
        .enabled(if: ClientPython.path != nil, "no python3"),
        arguments: [
            "/odd-headers", "/chunks?sizes=1,2,300", "/chunks?sizes=4&trailer=t", "/http10",
            "/truncated?sent=50&length=99",
            "/unfinished", "/reset", "/empty", "/json", "/status/500", "/sse",
        ])
    func rawBytes(_ path: String) async throws {
        try await withWorkbench { bench in
            let python = try #require(ClientPython.path)
            let request = "GET \(path) HTTP/1.1\r\nHost: api.example.test\r\nConnection: close\r\n\r\n"
            let input = try bench.write("request", request)
            let answer = try await bench.recordsAndReplays(
                [python, Playhead.resource("Clients/raw.py"), "api.example.test", "443", "tls"], exchanges: 1,
                input: input)
            #expect(answer.text.hasPrefix("HTTP/1."))
        }
    }

    @Test(.enabled(if: ClientPython.path != nil, "no python3"))
    func answersPipelinedRequestsInOrder() async throws {
        try await withWorkbench { bench in
            let python = try #require(ClientPython.path)
            let paths = ["/slow?ms=500", "/json?n=2", "/bytes/3000", "/empty", "/chunks?sizes=7"]
            let request = paths.enumerated().map { index, path in
                let last = index == paths.count - 1 ? "Connection: close\r\n" : ""
                return "GET \(path) HTTP/1.1\r\nHost: api.example.test\r\n\(last)\r\n"
            }
            let input = try bench.write("request", request.joined())
            let answer = try await bench.recordsAndReplays(
                [python, Playhead.resource("Clients/raw.py"), "api.example.test", "443", "tls"], exchanges: 5,
                input: input)
            let slow = try #require(answer.output.range(of: Data("/slow?ms=500".utf8)))
            let second = try #require(answer.output.range(of: Data("/json?n=2".utf8)))
            #expect(slow.lowerBound < second.lowerBound)
        }
    }
}
