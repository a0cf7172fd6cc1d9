/// How fast a recording is played: at once, at the recorded times, or faster or slower by a factor.
public struct PlaybackSpeed: Sendable, Hashable {
    /// The factor by which the recorded times are divided; nil for no waiting at all.
    public let factor: Double?

    /// Everything at once.
    public static let instant = PlaybackSpeed(factor: nil)
    /// The recorded times.
    public static let recorded = PlaybackSpeed(factor: 1)

    /// A longer wait than this is no recording but a slip in an edited file, in milliseconds.
    private static let limit = 7 * 86_400_000.0

    private init(factor: Double?) { self.factor = factor }

    /// Reads `instant`, `recorded`, or a factor such as `x10` or `x0.5`, from a thousandth to a million.
    public static func parse(_ text: String) -> PlaybackSpeed? {
        switch text {
        case "instant": return .instant
        case "recorded": return .recorded
        default:
            guard text.first == "x", let factor = Double(text.dropFirst()), (0.001...1_000_000).contains(factor) else {
                return nil
            }
            return PlaybackSpeed(factor: factor)
        }
    }

    /// Whether nothing is waited for.
    public var isInstant: Bool { self.factor == nil }

    /// How many nanoseconds after the start something is due that came after `milliseconds`.
    public func nanoseconds(after milliseconds: Int) -> Int64 {
        guard let factor = self.factor else { return 0 }
        return Int64(min(max(0, Double(milliseconds)) / factor, Self.limit) * 1_000_000)
    }
}
