import PlayheadCassette

/// Moments as people read them.
enum Moments {
    /// RFC 3339 text of seconds since 1970.
    static func text(_ seconds: Int64) -> String { Timestamp(milliseconds: seconds * 1000).description }
}
