/// How one client of this machine is made to ask for one URL.
///
/// In `files`, `build`, `command` and `version` stand `{program}`, `{folder}`, `{base}` (scheme and host of the canary)
/// and `{url}` (what is asked, unless the client has its own paths).
public struct ClientProbe: Sendable {
    /// The name that people and `--only` use, such as `python-requests`.
    public let name: String
    /// What the advice goes by.
    public let kind: ClientKind
    /// The names of the program, best first.
    public let programs: [String]
    /// The command that succeeds when the library is there; empty when the program is enough.
    public var check: [String] = []
    /// The command whose first line is the version.
    public var version: [String] = ["{program}", "--version"]
    /// Files to write into the folder first, by name.
    public var files: [String: String] = [:]
    /// Files that are written as they are.
    public var binaries: [String: [UInt8]] = [:]
    /// What must run before, such as a compiler.
    public var build: [String] = []
    /// Variables that the client needs beside those of `run`.
    public var variables: [String: String] = [:]
    /// What prints the canary.
    public let command: [String]

    /// Describes a probe.
    init(_ name: String, _ kind: ClientKind, _ programs: [String], _ command: [String]) {
        self.name = name
        self.kind = kind
        self.programs = programs
        self.command = command
    }

    /// The probe with one part changed.
    func with<Value>(_ part: WritableKeyPath<ClientProbe, Value>, _ value: Value) -> ClientProbe {
        var copy = self
        copy[keyPath: part] = value
        return copy
    }

    /// The host that this client alone asks for.
    public var host: String { name + ".doctor.playhead.test" }

    /// A text with the places filled in.
    func filled(_ text: String, program: String, folder: String) -> String {
        text.replacing("{program}", with: program).replacing("{folder}", with: folder)
            .replacing("{url}", with: "https://\(host)/canary").replacing("{base}", with: "https://\(host)")
    }
}
