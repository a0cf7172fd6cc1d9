import Foundation
import PlayheadTrust
import Testing

struct ChildProcessTests {
    private func run(_ script: String, _ environment: [String: String] = testEnvironment) async throws -> ProcessEnd {
        try await ChildProcess.start(["/bin/sh", "-c", script], environment: environment, forwardsSignals: false).wait()
    }

    @Test(arguments: [0, 1, 3, 255]) func givesTheExitCode(code: Int32) async throws {
        #expect(try await run("exit \(code)") == .exited(code))
    }

    @Test func aSignalIs128AndItsNumber() async throws {
        let end = try await run("kill -9 $$")
        #expect(end == .signalled(9))
        #expect(end.exitCode == 137)
    }

    @Test func theChildSeesExactlyTheGivenEnvironment() async throws {
        let folder = try TemporaryFolder()
        #expect(try await run("/usr/bin/env > \(folder.path)/out", ["A": "1 '\n2"]) == .exited(0))
        let lines = try folder.text("out")
        #expect(lines.contains("A=1 '\n2\n"))
        #expect(!lines.contains("HOME="))
    }

    @Test func searchesThePathOfTheChild() async throws {
        let folder = try TemporaryFolder()
        try folder.write("#!/bin/sh\nexit 7\n", "bin/tool", mode: 0o755)
        let path = "/nowhere:\(folder.path)/bin"
        let child = try ChildProcess.start(["tool"], environment: ["PATH": path], forwardsSignals: false)
        #expect(await child.wait() == .exited(7))
    }

    @Test func runsAScriptWithoutAFirstLineInTheShell() async throws {
        let folder = try TemporaryFolder()
        try folder.write("exit $1\n", "tool", mode: 0o755)
        let child = try ChildProcess.start([folder.path + "/tool", "9"], environment: [:], forwardsSignals: false)
        #expect(await child.wait() == .exited(9))
    }

    @Test func tellsNotFoundFromNotExecutable() throws {
        let folder = try TemporaryFolder()
        try folder.write("x", "bin/tool")
        try folder.write("#!/no/such/interpreter\n", "bin/script", mode: 0o755)
        func code(_ command: String) -> TrustError.Code? {
            #expect(throws: TrustError.self) {
                try ChildProcess.start(
                    [command], environment: ["PATH": folder.path + "/bin"], forwardsSignals: false)
            }?.code
        }
        #expect(code("absent") == .notFound)
        #expect(code(folder.path + "/absent") == .notFound)
        #expect(code("") == .notFound)
        #expect(code("tool") == .notExecutable)
        #expect(code("script") == .notExecutable)
        #expect(code(folder.path + "/bin") == .notExecutable)
    }

    @Test func aLaterFolderWinsOverAFileThatMayNotBeRun() async throws {
        let folder = try TemporaryFolder()
        try folder.write("x", "a/tool")
        try folder.write("#!/bin/sh\nexit 4\n", "b/tool", mode: 0o755)
        #expect(
            ExecutableSearch.find("tool", path: "\(folder.path)/a:\(folder.path)/b") == .found(folder.path + "/b/tool"))
    }

    @Test func refusesNULInAnArgument() {
        #expect(throws: TrustError(.badInput, "")) {
            try ChildProcess.start(["/bin/echo", "a\0b"], environment: [:], forwardsSignals: false)
        }
    }

    @Test func aTimeoutTerminatesTheChild() async throws {
        let child = try ChildProcess.start(["/bin/sleep", "600"], environment: [:], forwardsSignals: false)
        let end = await child.wait(timeout: .milliseconds(20), grace: .seconds(300))
        #expect(end == .timedOut)
        #expect(end.exitCode == 124)
    }

    @Test func aTimeoutKillsAChildThatDoesNotListen() async throws {
        let script = "trap '' TERM; while :; do /bin/sleep 1; done"
        let child = try ChildProcess.start(["/bin/sh", "-c", script], environment: [:], forwardsSignals: false)
        #expect(await child.wait(timeout: .milliseconds(50), grace: .milliseconds(50)) == .timedOut)
    }

    @Test func aTimeoutThatDoesNotComeChangesNothing() async throws {
        let child = try ChildProcess.start(["/bin/sh", "-c", "exit 5"], environment: [:], forwardsSignals: false)
        #expect(await child.wait(timeout: .seconds(600)) == .exited(5))
        child.send(signal: SIGKILL)
        #expect(await child.wait() == .exited(5))
    }

    @Test func pipesAreNotBrokenForTheChildAlthoughWeIgnoreTheSignal() async throws {
        signal(SIGPIPE, SIG_IGN)
        // The shell reports 128 + SIGPIPE only when its child has the default action.
        #expect(try await run("(kill -PIPE $$; exit 0)") == .signalled(SIGPIPE))
    }
}

/// One at a time: handlers and the process's own signals are shared.
@Suite(.serialized) struct SignalForwardingTests {
    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH])
    func passesASignalOnToTheChild(number: Int32) async throws {
        let folder = try TemporaryFolder()
        let ready = folder.path + "/ready"
        #expect(mkfifo(ready, 0o600) == 0)
        // The trap is set before the shell opens the pipe, so the signal cannot come too early.
        let script = "trap 'exit 42' \(number); echo > '\(ready)'; while :; do /bin/sleep 0.01; done"
        let child = try ChildProcess.start(["/bin/sh", "-c", script], environment: [:])
        _ = try shell(["cat", ready])
        kill(getpid(), number)
        #expect(await child.wait() == .exited(42))
    }

    @Test func putsTheFormerHandlersBack() async throws {
        let before = signal(SIGUSR2, SIG_IGN)
        defer { signal(SIGUSR2, before) }
        let child = try ChildProcess.start(["/bin/sh", "-c", "kill -USR1 $$"], environment: [:])
        #expect(await child.wait() == .signalled(SIGUSR1))
        var action = sigaction()
        sigaction(SIGTERM, nil, &action)
        #expect(unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self) == 0)
    }

    @Test func whatWasIgnoredStaysIgnoredForTheChild() async throws {
        let before = signal(SIGHUP, SIG_IGN)
        defer { signal(SIGHUP, before) }
        let child = try ChildProcess.start(["/bin/sh", "-c", "kill -HUP $$; exit 3"], environment: [:])
        #expect(await child.wait() == .exited(3))
    }
}
