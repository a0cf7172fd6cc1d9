/// What answers once every matching recording has been played.
public enum Repeats: String, CaseIterable, Sendable {
    /// Nothing: a miss that says when it was played.
    case none
    /// The last answer, again and again.
    case last
    /// All of them from the beginning.
    case cycle
}
