import Foundation
import PlayheadTrust
import Synchronization

/// Writes the commands down and answers from a closure instead of running them.
final class ScriptedRunner: CommandRunner {
    private let log = Mutex<[[String]]>([])
    private let answer: @Sendable ([String]) -> CommandResult

    init(answer: @escaping @Sendable ([String]) -> CommandResult = { _ in CommandResult(status: 0) }) {
        self.answer = answer
    }

    var commands: [[String]] { log.withLock { $0 } }

    func run(_ arguments: [String], environment: [String: String], input: [UInt8]) throws(TrustError) -> CommandResult {
        log.withLock { $0.append(arguments) }
        return answer(arguments)
    }
}

extension TemporaryFolder {
    /// Puts an executable of that name in `bin`.
    func addTool(_ name: String) throws { try write("#!/bin/sh\n", "bin/" + name, mode: 0o755) }

    /// A machine in this folder whose commands are only written down.
    func host(
        system: TrustHost.System = .linux, isSuperuser: Bool = true, variables: [String: String] = [:],
        runner: any CommandRunner = ScriptedRunner()
    ) -> TrustHost {
        var environment = variables
        environment["PATH"] = path + "/bin"
        return TrustHost(
            system: system, root: path, home: path + "/home", environment: environment, isSuperuser: isSuperuser,
            runner: runner)
    }

    /// A certificate of nobody, for drivers whose commands are not run.
    func localCertificate(_ seed: UInt8 = 1) throws -> LocalCertificate {
        let pem = certificate(seed).pem
        try write(pem, "ca-\(seed).pem")
        return try LocalCertificate(
            path: path + "/ca-\(seed).pem", pem: pem, name: "Playhead local CA (u@h) \(seed)",
            fingerprint: String(repeating: "0\(seed)", count: 32))
    }

    /// A real CA certificate, made by the openssl command.
    func realCertificate() throws -> LocalCertificate {
        let name = "Playhead local CA (u@h) 1234"
        let made = try shell([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=" + name, "-keyout", path + "/ca.key", "-out", path + "/ca.pem", "-addext",
            "basicConstraints=critical,CA:TRUE,pathlen:0", "-addext", "keyUsage=critical,keyCertSign",
        ])
        guard made.status == 0 else { throw TrustError(.cannotRead, made.errorText) }
        let print = try shell(["openssl", "x509", "-in", path + "/ca.pem", "-noout", "-fingerprint", "-sha256"])
        let digits = print.text.split(separator: "=").last.map { $0.filter(\.isHexDigit) } ?? ""
        return try LocalCertificate(
            path: path + "/ca.pem", pem: text("ca.pem"), name: name, fingerprint: digits)
    }
}

/// Whether a command that a test drives for real is here; a test without it says so when it is skipped.
func isInstalled(_ command: String) -> Bool {
    let path = (testEnvironment["PATH"] ?? "") + ":/usr/sbin:/sbin"
    if case .found = ExecutableSearch.find(command, path: path) { return true }
    return false
}

/// Plans as lines, for comparing.
func lines(_ commands: [TrustCommand], isSuperuser: Bool = true) -> [String] {
    commands.map { $0.line(isSuperuser: isSuperuser) }
}
