import PlayheadTrust

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Asks before commands run with sudo: once, on a terminal; without one the answer is no.
struct SudoConsent {
    let isGiven: Bool

    func ask(_ commands: [TrustCommand]) -> Bool {
        if self.isGiven { return true }
        guard isatty(0) == 1, isatty(2) == 1 else { return false }
        Terminal.talk("These commands need sudo:")
        for command in commands { Terminal.talk("  \(command)") }
        Terminal.error("Run them? [y/N] ")
        return readLine()?.lowercased().hasPrefix("y") ?? false
    }
}
