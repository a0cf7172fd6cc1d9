#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The program's own output: results on stdout, talk on stderr.
enum Terminal {
    /// Writes a result line to stdout.
    static func result(_ text: String) { self.write(text + "\n", to: 1) }

    /// Writes raw text to stdout.
    static func raw(_ text: String) { self.write(text, to: 1) }

    /// Writes octets to stdout.
    static func raw(_ octets: [UInt8]) { self.write(octets[...], to: 1) }

    /// Writes raw text to stderr.
    static func error(_ text: String) { self.write(text, to: 2) }

    /// Writes a line of talk to stderr.
    static func talk(_ text: String) { self.write(text + "\n", to: 2) }

    /// Whether stderr is a terminal that takes progress and colour (https://no-color.org).
    static var isInteractive: Bool { isatty(2) == 1 && getenv("NO_COLOR") == nil }

    /// Whether both streams are a terminal, so that a person reads them and no log keeps them.
    static var isResultInteractive: Bool { isatty(1) == 1 && isatty(2) == 1 }

    private static func write(_ text: String, to descriptor: Int32) {
        self.write(Array(text.utf8)[...], to: descriptor)
    }

    private static func write(_ octets: ArraySlice<UInt8>, to descriptor: Int32) {
        var octets = octets
        while !octets.isEmpty {
            let count = octets.withUnsafeBytes { Self.posixWrite(descriptor, $0) }
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                return
            }
            octets = octets.dropFirst(count)
        }
    }

    private static func posixWrite(_ descriptor: Int32, _ octets: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, octets.baseAddress, octets.count)
        #elseif canImport(Musl)
            Musl.write(descriptor, octets.baseAddress, octets.count)
        #else
            Darwin.write(descriptor, octets.baseAddress, octets.count)
        #endif
    }
}
