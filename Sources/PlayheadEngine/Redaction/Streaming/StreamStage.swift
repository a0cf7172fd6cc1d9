/// One pass over a body that is too large for memory.
///
/// It is shown what has come and is not settled yet, and says how much of that it is done with.
protocol StreamStage {
    /// - Parameters:
    ///   - pending: everything that is not settled, from the first octet.
    ///   - isLast: whether nothing follows.
    mutating func settle(_ pending: Octets, isLast: Bool, _ substitution: inout SecretSubstitution) -> Settled
}

/// How many octets a stage is done with, and what is changed in them.
struct Settled {
    var count: Int
    var edits: [TextEdit] = []

    /// The stage waits for more.
    static let nothing = Settled(count: 0)

    /// Everything up to `count` goes away.
    static func dropped(_ count: Int) -> Settled {
        Settled(count: count, edits: count > 0 ? [TextEdit(range: 0..<count, replacement: [])] : [])
    }
}

/// How much of a big body is looked at together, in octets.
struct StreamBounds: Sendable {
    /// What is searched at once.
    var window = 1 << 20
    /// How long a secret may be that is known by its look.
    var reach = 64 << 10
    /// What stands before a window and is still known.
    var behind = 4 << 10
    /// How far a window grows for a run of base64, or for a value under a secret name.
    var longest = 12 << 20
    /// How far the events may lie apart that hold the pieces of a secret.
    var events = 1 << 20

    static let standard = StreamBounds()
}

/// Looks at nothing: images, sound and the like.
struct OpaqueStage: StreamStage {
    mutating func settle(_ pending: Octets, isLast: Bool, _ substitution: inout SecretSubstitution) -> Settled {
        Settled(count: pending.count)
    }
}
