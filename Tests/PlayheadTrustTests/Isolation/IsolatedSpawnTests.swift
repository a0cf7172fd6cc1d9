import CIsolation
import Testing

@testable import PlayheadTrust

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

struct IsolatedSpawnTests {
    private func failure(
        _ step: playhead_isolation_step, _ error: Int32, bind: Int32 = 0, port: Int? = nil
    ) -> TrustError {
        IsolatedSpawn.failure(
            playhead_isolated(pid: -1, listener: -1, failed_step: step, error: error, bind: bind), file: "/bin/tool",
            isolation: Isolation(binds: [Isolation.Bind("/tmp/a", over: "/etc/a")], proxyPort: port),
            advice: NamespaceAdvice(isCountZero: true))
    }

    @Test func aForbiddenNamespaceNamesTheLevelAndTheWayOut() {
        for step in [PLAYHEAD_STEP_NAMESPACES, PLAYHEAD_STEP_USER_MAP, PLAYHEAD_STEP_LOOPBACK, PLAYHEAD_STEP_MOUNT] {
            let error = self.failure(step, EPERM, port: 8080)
            #expect(error.code == .isolationRefused)
            #expect(error.message.contains("--isolate network"))
            #expect(error.message.contains("user.max_user_namespaces"))
            #expect(error.message.contains("playhead cert install"))
        }
        #expect(self.failure(PLAYHEAD_STEP_NAMESPACES, EPERM).message.contains("--isolate trust"))
    }

    @Test func aFailedMountNamesBothFiles() {
        let error = self.failure(PLAYHEAD_STEP_MOUNT, ENOENT)
        #expect(error.message.contains("cannot put /tmp/a over /etc/a"))
        // A number that does not belong to a bind must not be an index.
        #expect(self.failure(PLAYHEAD_STEP_MOUNT, ENOENT, bind: 7).message.contains("cannot cover"))
    }

    @Test func aProgramThatCannotRunIsNoMatterOfNamespaces() {
        #expect(self.failure(PLAYHEAD_STEP_EXEC, ENOENT).code == .notExecutable)
        #expect(self.failure(PLAYHEAD_STEP_START, EAGAIN).code == .spawnFailed)
    }
}
