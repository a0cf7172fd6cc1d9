import PlayheadCassette

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the program takes from the machine: variables, folder, user and clock, in one place.
struct HostEnvironment: Sendable {
    var environment: [String: String]
    var workingFolder: String
    /// `user@host`, looked up when asked for: it takes reading the user database.
    var userAtHost: @Sendable () -> String
    var now: @Sendable () -> Timestamp

    /// The process's own.
    static func current() -> HostEnvironment {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        var folder = "/"
        if let path = getcwd(nil, 0) {
            folder = String(cString: path)
            free(path)
        }
        let fallback = variables["USER"]
        return HostEnvironment(
            environment: variables, workingFolder: folder, userAtHost: { Self.userAtHost(fallback: fallback) },
            now: Self.clock)
    }

    private static func userAtHost(fallback: String?) -> String {
        let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? fallback ?? "\(getuid())"
        var name = [CChar](repeating: 0, count: 256)
        let host = gethostname(&name, name.count - 1) == 0 ? name.withUnsafeBufferPointer(Self.text) : "localhost"
        return "\(user)@\(host)"
    }

    /// A path as an absolute one.
    func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        return (self.workingFolder == "/" ? "" : self.workingFolder) + "/" + path
    }

    private static func text(_ characters: UnsafeBufferPointer<CChar>) -> String {
        characters.baseAddress.map { String(cString: $0) } ?? ""
    }

    @Sendable private static func clock() -> Timestamp {
        var moment = timespec()
        clock_gettime(CLOCK_REALTIME, &moment)
        return Timestamp(milliseconds: Int64(moment.tv_sec) * 1000 + Int64(moment.tv_nsec) / 1_000_000)
    }
}
