import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The right to write a cassette; one process has it at a time.
///
/// It is an advisory lock (flock(2)) on a file of its own, `.<name>.lock`, because the cassette itself is replaced when
/// it is saved. The file is there only while the lock is held. The system drops the lock when the process dies.
public final class CassetteLock {
    private var file: OpenFile?
    private let folder: Folder
    private let name: String

    private init(folder: Folder, name: String, file: OpenFile) {
        self.folder = folder
        self.name = name
        self.file = file
    }

    deinit { self.release() }

    /// Takes the lock; with `wait` it blocks the thread until the other process is done.
    ///
    /// `pid` and `host` are what the others are told.
    public static func acquire(
        _ location: CassetteLocation, wait: Bool = false, pid: Int = currentProcess(), host: String = currentHost()
    ) throws(CassetteError) -> CassetteLock {
        guard let folder = try location.openParent(creating: true) else {
            throw CassetteError(.cannotWrite, "the cassettes folder cannot be made", file: location.folder)
        }
        while true {
            let file = try folder.openToWrite(location.lockName)
            while flock(file.descriptor, LOCK_EX | (wait ? 0 : LOCK_NB)) != 0 {
                switch errno {
                case EINTR: continue
                case EWOULDBLOCK: throw self.refusal(location, holder: self.holder(of: file))
                default:
                    throw CassetteError(
                        .cannotWrite,
                        "the file system does not lock (\(systemMessage(errno))), so cassettes on it cannot be shared",
                        file: location.lockFile)
                }
            }
            // The holder before us may have removed the file between our open and our lock; then it locks nothing.
            var current = stat()
            let mine = try file.status()
            guard fstatat(folder.descriptor, location.lockName, &current, AT_SYMLINK_NOFOLLOW) == 0,
                current.st_ino == mine.st_ino, current.st_dev == mine.st_dev
            else { continue }
            ftruncate(file.descriptor, 0)
            // Only to tell others who we are; the lock itself does not depend on it, so a full disk is no reason to fail.
            _ = Array("\(pid) \(host)\n".utf8).withUnsafeBytes {
                systemWrite(file.descriptor, $0.baseAddress, $0.count)
            }
            return CassetteLock(folder: folder, name: location.lockName, file: file)
        }
    }

    /// Gives the lock back; a second call does nothing.
    public func release() {
        guard self.file != nil else { return }
        self.folder.remove(self.name)
        self.file = nil
    }

    /// The id of this process.
    public static func currentProcess() -> Int { Int(getpid()) }

    /// The name of this host.
    public static func currentHost() -> String {
        var name = [UInt8](repeating: 0, count: 256)
        let isKnown = name.withUnsafeMutableBytes { bytes -> Bool in
            guard let start = bytes.baseAddress else { return false }
            return gethostname(start.assumingMemoryBound(to: CChar.self), 255) == 0
        }
        return isKnown ? String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) : "unknown"
    }

    private static func holder(of file: OpenFile) -> CassetteError.Holder? {
        guard let bytes = try? file.read(upTo: 512) else { return nil }
        let parts = String(decoding: bytes.readableBytesView, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard parts.count == 2, let pid = Int(parts[0]) else { return nil }
        return CassetteError.Holder(pid: pid, host: String(parts[1]))
    }

    private static func refusal(_ location: CassetteLocation, holder: CassetteError.Holder?) -> CassetteError {
        let who = holder.map { "process \($0.pid) on \($0.host)" } ?? "another process"
        return CassetteError(
            .locked, "\(who) has the cassette open; wait for it, or record to another cassette", file: location.file,
            holder: holder)
    }
}
