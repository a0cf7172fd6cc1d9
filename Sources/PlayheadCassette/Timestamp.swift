/// A moment in UTC with millisecond precision.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    /// Creates a moment.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whether `left` is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
}
