/// Runs a probe on this machine, with and without isolation.
public struct ProbeRun: Sendable {
    /// What came of a command.
    public struct Outcome: Sendable, Equatable {
        /// The exit code; 124 when it took too long.
        public let code: Int32
        /// What it printed.
        public let output: String
        /// The last lines of what it said on standard error.
        public let errors: String
    }

    /// The probe.
    public let probe: ClientProbe
    /// The file of the program.
    public let program: String
    /// A folder for its files.
    public let folder: String
    /// The user's own variables.
    public let environment: [String: String]
    /// How long each command may take.
    public let timeout: Duration

    /// Finds the program of a probe; nil when it, or its library, is not on this machine.
    ///
    /// - Parameter folder: an absolute path; it is made.
    public init?(
        _ probe: ClientProbe, environment: [String: String], folder: String, timeout: Duration
    ) async throws(TrustError) {
        let found = probe.programs.lazy.compactMap { name -> String? in
            guard case .found(let file) = ExecutableSearch.find(name, path: environment["PATH"]) else { return nil }
            return file
        }.first
        guard let found else { return nil }
        self.probe = probe
        self.program = found
        self.folder = folder
        self.environment = environment
        self.timeout = timeout
        try FileAccess.createFolder(folder)
        guard !probe.check.isEmpty else { return }
        // A wrapper without anything behind it (a version manager's, for example) is no client either.
        guard try await self.run(probe.check, environment, nil).code == 0 else { return nil }
    }

    /// The version, as the first number with a dot in what the program says of itself.
    public func version() async throws(TrustError) -> String? {
        let said = try await self.run(self.probe.version, self.environment, nil)
        return Self.version(in: said.output + "\n" + said.errors)
    }

    /// The first number with a dot in a text, such as `8.14.1` in `curl 8.14.1 (x86_64…)`.
    static func version(in text: String) -> String? {
        for word in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") }) {
            let number = word.drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." }
            let parts = number.split(separator: ".")
            if parts.count >= 2 { return parts.joined(separator: ".") }
        }
        return nil
    }

    /// Writes the probe's files and runs what it needs before; nil when all went well.
    public func prepare() async throws(TrustError) -> Outcome? {
        for (name, text) in self.probe.files {
            let file = self.folder + "/" + name
            if let slash = file.lastIndex(of: "/") { try FileAccess.createFolder(String(file[..<slash])) }
            try FileAccess.write(Array(self.filled(text).utf8), to: file)
        }
        for (name, octets) in self.probe.binaries { try FileAccess.write(octets, to: self.folder + "/" + name) }
        guard !self.probe.build.isEmpty else { return nil }
        let outcome = try await self.run(self.probe.build, self.environment.merging(self.variables) { $1 }, nil)
        return outcome.code == 0 ? nil : outcome
    }

    /// Asks for the canary.
    ///
    /// - Parameter change: what leads to the proxy.
    public func ask(_ change: EnvironmentChange, isolation: Isolation? = nil) async throws(TrustError) -> Outcome {
        let variables = change.applied(to: self.environment).merging(self.variables) { $1 }
        return try await self.run(self.probe.command, variables, isolation)
    }

    private var variables: [String: String] { self.probe.variables.mapValues(self.filled) }

    private func filled(_ text: String) -> String {
        self.probe.filled(text, program: self.program, folder: self.folder)
    }

    /// Streams go to files: a program that a client leaves behind may keep a pipe open for ever.
    ///
    /// Signals are not passed on: one that is meant to end us has to end us, and a terminal sends its own to all.
    private func run(
        _ command: [String], _ environment: [String: String], _ isolation: Isolation?
    ) async throws(TrustError) -> Outcome {
        let script = #"exec "$@" >"$0/output" 2>"$0/errors" </dev/null"#
        let child = try ChildProcess.start(
            ["/bin/sh", "-c", script, self.folder] + command.map(self.filled), environment: environment,
            isolation: isolation, forwardsSignals: false)
        let end = await child.wait(timeout: self.timeout, grace: .seconds(2))
        return Outcome(
            code: end.exitCode, output: FileAccess.text(self.folder + "/output") ?? "",
            errors: Self.tail(FileAccess.text(self.folder + "/errors") ?? ""))
    }

    /// The last lines, but for those of a stack trace (`   at System.Net…`, `   --- End of…`).
    ///
    /// Off comes what Chromium puts in front of each: `[pid:thread:time:ERROR:file.cc(403)] `.
    static func tail(_ text: String) -> String {
        let lines = text.split(separator: "\n").filter { line in
            let words = line.drop { $0 == " " || $0 == "\t" }
            return words.startIndex == line.startIndex || !(words.hasPrefix("at ") || words.hasPrefix("--- End of"))
        }
        return lines.suffix(3).map { line in
            var line = line
            if line.first == "[", let end = line.firstRange(of: "] "), line[..<end.lowerBound].contains(".cc") {
                line = line[end.upperBound...]
            }
            return String(line.prefix(300))
        }.joined(separator: "\n")
    }
}
