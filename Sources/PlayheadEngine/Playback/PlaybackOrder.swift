/// Whether answers of concurrent requests wait for one another.
public enum PlaybackOrder: String, Sendable, CaseIterable {
    /// Each answer is sent when it was asked for.
    case momentary
    /// The parts of all answers are sent in the order in which they were recorded.
    case chronological
}
