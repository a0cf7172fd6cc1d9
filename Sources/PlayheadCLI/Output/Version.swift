/// The program's version.
enum Version {
    /// Semantic version (https://semver.org).
    static let number = "0.1.0"
    /// What cassettes hold in `recorded_with`.
    static let program = "playhead \(Version.number)"
}
