extension ClientProbe {
    /// The clients that `doctor` knows.
    ///
    /// - Parameter isSuperuser: whether Chromium must be told to do without its sandbox, which it refuses to root.
    public static func standard(isSuperuser: Bool) -> [ClientProbe] {
        tools + pythons + scripts + compiled + [chromium(isSuperuser: isSuperuser)]
    }

    private static let tools = [
        ClientProbe("curl", .curl, ["curl"], ["{program}", "-sS", "--max-time", "20", "{url}"]),
        ClientProbe(
            "wget", .wget, ["wget"], ["{program}", "-q", "-O", "-", "--tries=1", "--timeout=20", "{url}"]),
        ClientProbe("git", .git, ["git"], ["{program}", "ls-remote", "{base}/canary.git"])
            .with(\.variables, ["GIT_TERMINAL_PROMPT": "0"]),
        ClientProbe(
            "npm", .node, ["npm"],
            [
                "{program}", "view", "playhead-canary", "description", "--registry", "{base}", "--cache",
                "{folder}/npm", "--fetch-retries", "0", "--update-notifier", "false",
            ]),
        ClientProbe(
            "cargo", .rust, ["cargo"],
            ["sh", "-c", "cd '{folder}/cargo' && '{program}' -q generate-lockfile && cat Cargo.lock"]
        )
        // The command of rustup is there without any compiler behind it.
        .with(\.check, ["{program}", "--version"])
        .with(
            \.variables,
            [
                "CARGO_HOME": "{folder}/cargo-home", "CARGO_REGISTRIES_CANARY_INDEX": "sparse+{base}/",
                "CARGO_NET_RETRY": "0",
            ]
        )
        .with(
            \.files,
            [
                "cargo/Cargo.toml": """
                [package]
                name = "canary"
                version = "0.0.0"
                [dependencies]
                playhead-canary = { version = "1", registry = "canary" }

                """, "cargo/src/lib.rs": "",
            ]),
    ]

    private static let pythons = [
        python("urllib", "import urllib.request; print(urllib.request.urlopen(url, timeout=20).read().decode())"),
        python("requests", "import requests; print(requests.get(url, timeout=20).text)"),
        python("httpx", "import httpx; print(httpx.get(url, timeout=20).text)"),
        python(
            "aiohttp",
            """
            import aiohttp, asyncio
            async def main():
                async with aiohttp.ClientSession(trust_env=True) as session:
                    async with session.get(url) as answer:
                        print(await answer.text())
            asyncio.run(main())
            """),
    ]

    private static func python(_ library: String, _ code: String) -> ClientProbe {
        let isStandard = library == "urllib"
        let version =
            isStandard
            ? "import platform; print(platform.python_version())" : "import \(library); print(\(library).__version__)"
        return ClientProbe(
            "python-\(library)", .python, ["python3", "python"],
            ["{program}", "-c", "import sys; url = sys.argv[1]\n" + code, "{url}"]
        )
        .with(\.check, isStandard ? [] : ["{program}", "-c", "import \(library)"])
        .with(\.version, ["{program}", "-c", version])
    }

    private static let fetch = "console.log(await (await fetch(process.argv[2])).text());\n"

    private static let scripts = [
        ClientProbe("node-fetch", .node, ["node", "nodejs"], ["{program}", "{folder}/canary.mjs", "{url}"])
            .with(\.files, ["canary.mjs": fetch]),
        ClientProbe("deno", .deno, ["deno"], ["{program}", "run", "--allow-all", "{folder}/canary.mjs", "{url}"])
            .with(\.files, ["canary.mjs": fetch]),
        ClientProbe("bun", .bun, ["bun"], ["{program}", "{folder}/canary.mjs", "{url}"])
            .with(\.files, ["canary.mjs": fetch]),
        ClientProbe(
            "ruby", .ruby, ["ruby"], ["{program}", "-rnet/http", "-e", "puts Net::HTTP.get(URI(ARGV[0]))", "{url}"]),
        ClientProbe("php-curl", .php, ["php"], ["{program}", "{folder}/canary.php", "{url}"])
            .with(\.check, ["{program}", "-r", "exit(extension_loaded('curl') ? 0 : 1);"])
            .with(
                \.files,
                [
                    "canary.php": """
                    <?php
                    $handle = curl_init($argv[1]);
                    curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 20]);
                    $body = curl_exec($handle);
                    if ($body === false) { fwrite(STDERR, curl_error($handle)); exit(1); }
                    echo $body;

                    """
                ]),
        ClientProbe("php-streams", .php, ["php"], ["{program}", "{folder}/canary.php", "{url}"])
            .with(\.check, ["{program}", "-r", "exit(in_array('https', stream_get_wrappers()) ? 0 : 1);"])
            .with(\.files, ["canary.php": "<?php echo file_get_contents($argv[1]);\n"]),
        ClientProbe(
            "perl-lwp", .perl, ["perl"],
            [
                "{program}", "-MLWP::UserAgent", "-e",
                "my $r = LWP::UserAgent->new(env_proxy => 1, timeout => 20)->get($ARGV[0]); print $r->decoded_content",
                "{url}",
            ]
        )
        .with(\.check, ["{program}", "-MLWP::UserAgent", "-MLWP::Protocol::https", "-e", "1"])
        .with(\.version, ["{program}", "-MLWP::UserAgent", "-e", "print $LWP::UserAgent::VERSION"]),
        ClientProbe(
            "perl-http-tiny", .perl, ["perl"],
            [
                "{program}", "-MHTTP::Tiny", "-e",
                "print HTTP::Tiny->new(verify_SSL => 1, timeout => 20)->get($ARGV[0])->{content}", "{url}",
            ]
        )
        .with(\.check, ["{program}", "-MHTTP::Tiny", "-MIO::Socket::SSL", "-e", "1"])
        .with(\.version, ["{program}", "-MHTTP::Tiny", "-e", "print $HTTP::Tiny::VERSION"]),
    ]

    private static let compiled = [
        ClientProbe("java", .java, ["java"], ["{program}", "{folder}/Canary.java", "{url}"])
            .with(\.check, ["{program}", "--describe-module", "jdk.compiler"])
            .with(
                \.files,
                [
                    "Canary.java": """
                    import java.net.URI;
                    import java.net.http.*;
                    class Canary {
                        public static void main(String[] arguments) throws Exception {
                            var request = HttpRequest.newBuilder(URI.create(arguments[0])).build();
                            var text = HttpResponse.BodyHandlers.ofString();
                            System.out.println(HttpClient.newHttpClient().send(request, text).body());
                        }
                    }

                    """
                ]),
        ClientProbe("go", .go, ["go"], ["{folder}/go-canary", "{url}"])
            .with(\.version, ["{program}", "version"])
            .with(\.variables, ["GO111MODULE": "off", "GOTOOLCHAIN": "local"])
            .with(\.build, ["{program}", "build", "-o", "{folder}/go-canary", "{folder}/canary.go"])
            .with(
                \.files,
                [
                    "canary.go": """
                    package main

                    import (
                    \t"fmt"
                    \t"io"
                    \t"net/http"
                    \t"os"
                    )

                    func main() {
                    \tanswer, err := http.Get(os.Args[1])
                    \tif err != nil {
                    \t\tfmt.Fprintln(os.Stderr, err)
                    \t\tos.Exit(1)
                    \t}
                    \tbody, _ := io.ReadAll(answer.Body)
                    \tfmt.Println(string(body))
                    }

                    """
                ]),
        ClientProbe("dotnet", .dotnet, ["dotnet"], ["{program}", "exec", "{folder}/canary.dll", "{url}"])
            .with(
                \.check,
                [
                    "sh", "-c",
                    "'{program}' --list-runtimes | grep -q '^Microsoft.NETCore.App \\([5-9]\\|[1-9][0-9]\\)\\.'",
                ]
            )
            .with(\.version, ["{program}", "--list-runtimes"])
            .with(\.files, ["canary.runtimeconfig.json": DotnetCanary.configuration])
            .with(\.binaries, ["canary.dll": DotnetCanary.assembly]),
        ClientProbe("swift-urlsession", .swift, ["swiftc"], ["{folder}/swift-canary", "{url}"])
            .with(
                \.build,
                ["{program}", "-parse-as-library", "-o", "{folder}/swift-canary", "{folder}/Canary.swift"]
            )
            .with(
                \.files,
                [
                    "Canary.swift": """
                    import Foundation
                    #if canImport(FoundationNetworking)
                        import FoundationNetworking
                    #endif

                    @main
                    struct Canary {
                        static func main() async {
                            guard let url = URL(string: CommandLine.arguments[1]) else { exit(2) }
                            do {
                                let (data, _) = try await URLSession.shared.data(from: url)
                                print(String(decoding: data, as: UTF8.self))
                            } catch {
                                FileHandle.standardError.write(Data("\\(error)\\n".utf8))
                                exit(1)
                            }
                        }
                    }

                    """
                ]),
    ]

    private static func chromium(isSuperuser: Bool) -> ClientProbe {
        ClientProbe(
            "chromium", .chromium,
            ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"],
            [
                "{program}", "--headless", "--disable-gpu", "--disable-dev-shm-usage",
                "--user-data-dir={folder}/chromium",
            ]
                + (isSuperuser ? ["--no-sandbox"] : []) + ["--dump-dom", "{url}"])
    }
}
