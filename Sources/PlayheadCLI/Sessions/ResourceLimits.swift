#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the process asks of the kernel before it serves.
enum ResourceLimits {
    /// Raises the soft limit of descriptors, and makes a broken pipe or a full file an error instead of a death.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        #if os(Linux)
            signal(SIGXFSZ, SIG_IGN)
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let files = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return }
        // Children inherit it, and some programs walk through all possible descriptors.
        let wanted = min(limit.rlim_max, 1 << 16)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        setrlimit(files, &limit)
    }
}
