/// Finds a command as a shell does.
public enum ExecutableSearch: Sendable, Equatable {
    /// The file to run.
    case found(String)
    /// A file of that name exists and may not be run (exit code 126).
    case notExecutable(String)
    /// Nothing of that name exists (exit code 127).
    case notFound

    /// The path used when the environment has none.
    static let defaultPath = "/usr/local/bin:/usr/bin:/bin"

    /// Looks a command up: a name with a slash is a path, any other is searched for in the folders of `PATH`.
    public static func find(_ command: String, path: String?) -> ExecutableSearch {
        if command.isEmpty { return .notFound }
        if command.contains("/") {
            if FileAccess.isExecutable(command) { return .found(command) }
            return FileAccess.exists(command) ? .notExecutable(command) : .notFound
        }
        var blocked: String?
        for folder in (path ?? defaultPath).split(separator: ":", omittingEmptySubsequences: false) {
            // POSIX: an empty part is the current folder.
            let candidate = (folder.isEmpty ? "." : String(folder)) + "/" + command
            if FileAccess.isExecutable(candidate) { return .found(candidate) }
            if blocked == nil && FileAccess.exists(candidate) && !FileAccess.isFolder(candidate) { blocked = candidate }
        }
        return blocked.map { .notExecutable($0) } ?? .notFound
    }
}
