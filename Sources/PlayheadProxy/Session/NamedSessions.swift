import NIOCore
import PlayheadCassette

/// The sessions that clients named, with the moment when each was last used.
///
/// A session is in use while anybody else refers to it: an exchange, a connection with a tunnel, a recording.
struct NamedSessions {
    private struct Entry {
        var session: CassetteSession
        var usedAt: NIODeadline
    }

    private var entries: [CassetteName: Entry] = [:]

    var count: Int { self.entries.count }

    /// All, by name.
    var all: [CassetteSession] {
        self.entries.sorted { $0.key.description < $1.key.description }.map(\.value.session)
    }

    mutating func add(_ session: CassetteSession, _ name: CassetteName, now: NIODeadline) {
        self.entries[name] = Entry(session: session, usedAt: now)
    }

    /// The session of a name, which counts as used.
    mutating func use(_ name: CassetteName, now: NIODeadline) -> CassetteSession? {
        self.entries[name]?.usedAt = now
        return self.entries[name]?.session
    }

    mutating func remove(_ name: CassetteName) -> CassetteSession? {
        self.entries.removeValue(forKey: name)?.session
    }

    /// Whether one has been idle so long; notes those that are in use.
    mutating func hasIdle(for time: TimeAmount, now: NIODeadline) -> Bool {
        for name in Array(self.entries.keys) where self.isIdle(name, for: time, now: now) { return true }
        return false
    }

    /// Takes those out that have been idle so long.
    mutating func takeIdle(for time: TimeAmount, now: NIODeadline) -> [CassetteSession] {
        Array(self.entries.keys).filter { self.isIdle($0, for: time, now: now) }.compactMap { self.remove($0) }
    }

    private mutating func isIdle(_ name: CassetteName, for time: TimeAmount, now: NIODeadline) -> Bool {
        // Taken out, so that the dictionary holds no second reference.
        guard var entry = self.entries.removeValue(forKey: name) else { return false }
        defer { self.entries[name] = entry }
        if !isKnownUniquelyReferenced(&entry.session) { entry.usedAt = max(entry.usedAt, now) }
        return now - entry.usedAt >= time
    }
}
