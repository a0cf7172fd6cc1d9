import Foundation
import PlayheadCassette
import Testing

struct CassetteLockTests {
    @Test func namesTheHolderToTheSecond() throws {
        let folder = TemporaryFolder()
        let first = try CassetteLock.acquire(folder.location(), pid: 4242, host: "here")
        #expect {
            try CassetteLock.acquire(folder.location())
        } throws: { error in
            let error = error as? CassetteError
            return error?.code == .locked && error?.holder == .init(pid: 4242, host: "here")
                && error?.message.contains("process 4242 on here") == true
        }
        _ = try CassetteLock.acquire(folder.location("other"))
        first.release()
        first.release()
        #expect(folder.names == [])
        let second = try CassetteLock.acquire(folder.location())
        #expect(folder.names == [".a.lock"])
        second.release()
    }

    @Test func waitsForTheFirst() async throws {
        let folder = TemporaryFolder()
        let location = folder.location()
        let first = try CassetteLock.acquire(location)
        let waiter = Thread { (try? CassetteLock.acquire(location, wait: true))?.release() }
        waiter.start()
        first.release()
        while !waiter.isFinished { await Task.yield() }
        try CassetteLock.acquire(location).release()
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/flock"))) func countsAcrossProcesses()
        throws
    {
        let folder = TemporaryFolder()
        let lock = try CassetteLock.acquire(folder.location())
        // Not Foundation's Process: it reads past a directory entry of /proc/self/fd when thousands of files are open.
        let status = system("flock -n '\(folder.url(".a.lock").path)' true")
        #expect(status >> 8 == 1)
        lock.release()
    }

    @Test func doesNotMindAFileThatADeadProcessLeft() throws {
        let folder = TemporaryFolder()
        folder.write("1 gone\n", to: ".a.lock")
        try CassetteLock.acquire(folder.location()).release()
    }
}
