import PlayheadTrust
import Synchronization
import Testing

/// A store whose state a command changes, or fails to.
private struct FakeStore: TrustStoreDriver {
    let name = "fake"
    let installed = SharedFlag()

    func state(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> TrustState {
        installed.value ? .installed : .missing
    }

    func installation(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand] {
        installed.value ? [] : [TrustCommand(["first"], needsRoot: true), TrustCommand(["second"], needsRoot: false)]
    }

    func removal(of certificate: LocalCertificate, on host: TrustHost) throws(TrustError) -> [TrustCommand] {
        installed.value ? [TrustCommand(["remove"], needsRoot: true)] : []
    }
}

private final class SharedFlag: Sendable {
    private let flag = Mutex(false)
    var value: Bool {
        get { flag.withLock { $0 } }
        set { flag.withLock { $0 = newValue } }
    }
}

struct TrustStoresTests {
    private let folder: TemporaryFolder
    private let certificate: LocalCertificate
    private let store = FakeStore()
    private let plan = [TrustCommand(["first"], needsRoot: true), TrustCommand(["second"], needsRoot: false)]

    init() throws {
        folder = try TemporaryFolder()
        certificate = try folder.localCertificate()
    }

    private func stores(_ runner: ScriptedRunner, isSuperuser: Bool = false) -> TrustStores {
        TrustStores(host: folder.host(isSuperuser: isSuperuser, runner: runner), drivers: [store])
    }

    private var working: ScriptedRunner {
        ScriptedRunner { [installed = store.installed] arguments in
            if arguments.contains("second") { installed.value = true }
            if arguments.contains("remove") { installed.value = false }
            return CommandResult(status: 0)
        }
    }

    @Test func installsRemovesAndDoesNothingTwice() {
        let runner = working
        let stores = stores(runner)
        #expect(stores.install(certificate).map(\.outcome) == [.changed])
        #expect(stores.install(certificate).map(\.outcome) == [.unchanged])
        #expect(stores.uninstall(certificate).map(\.outcome) == [.changed])
        #expect(stores.uninstall(certificate).map(\.outcome) == [.unchanged])
        #expect(runner.commands == [["sudo", "first"], ["second"], ["sudo", "remove"]])
    }

    @Test func aDryRunRunsNothing() {
        let runner = working
        #expect(stores(runner).install(certificate, dryRun: true).map(\.outcome) == [.planned(plan)])
        #expect(runner.commands.isEmpty)
    }

    @Test func asksBeforeSudoAndOnlyThen() {
        let runner = working
        #expect(stores(runner).install(certificate) { _ in false }.map(\.outcome) == [.declined(plan)])
        #expect(runner.commands.isEmpty)
        #expect(stores(runner, isSuperuser: true).install(certificate) { _ in false }.map(\.outcome) == [.changed])
        #expect(runner.commands == [["first"], ["second"]])
    }

    @Test(arguments: [0, 1]) func aFailureNamesWhatIsLeftToRun(failing: Int) {
        let name = plan[failing].arguments[0]
        let runner = ScriptedRunner { arguments in
            arguments.contains(name)
                ? CommandResult(status: 7, errorOutput: Array("no way\nmore\n".utf8)) : CommandResult(status: 0)
        }
        #expect(
            stores(runner).install(certificate).map(\.outcome) == [
                .failed("\(name) ended with code 7: no way", remedy: Array(plan[failing...]))
            ])
    }

    @Test func successThatChangedNothingIsAFailure() {
        guard case .failed(_, let remedy)? = stores(ScriptedRunner()).install(certificate).first?.outcome else {
            Issue.record("believed the exit code")
            return
        }
        #expect(remedy == plan)
    }

    @Test func statusGivesEveryStore() {
        let status = stores(working).status(of: certificate)
        #expect(status.map(\.store) == ["fake"])
        #expect(status.map(\.state) == [.success(.missing)])
    }

    @Test func linesCanBeTypedInAShell() {
        let command = TrustCommand(["a b", "it's", "$x", "plain-1.0/x=y", ""], needsRoot: true)
        #expect(command.description == #"sudo 'a b' 'it'\''s' '$x' plain-1.0/x=y ''"#)
    }

    @Test func refusesCertificatesThatTheCommandsCannotUse() throws {
        let pem = certificate.certificate.pem
        let digits = String(repeating: "a", count: 64)
        for (path, pem, digits) in [("rel.pem", pem, digits), ("/a", "", digits), ("/a", pem, "aa")] {
            #expect(throws: TrustError(.badInput, "")) {
                try LocalCertificate(path: path, pem: pem, name: "n", fingerprint: digits)
            }
        }
    }
}
