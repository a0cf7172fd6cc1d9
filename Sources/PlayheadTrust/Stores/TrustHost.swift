#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The machine and the user whose stores are meant.
public struct TrustHost: Sendable {
    /// The family of operating systems.
    public enum System: Sendable {
        /// Linux of any distribution.
        case linux
        /// macOS.
        case macOS

        /// The one that this program runs on.
        public static var current: System {
            #if os(macOS)
                .macOS
            #else
                .linux
            #endif
        }
    }

    /// The operating system.
    public var system: System
    /// The folder that stands for `/`; empty for the machine itself.
    public var root: String
    /// The user's home folder.
    public var home: String
    /// The user's variables.
    public var environment: [String: String]
    /// Whether commands run as the superuser already.
    public var isSuperuser: Bool
    /// What runs the commands.
    public var runner: any CommandRunner

    /// Describes a machine and a user.
    public init(
        system: System = .current, root: String = "", home: String, environment: [String: String],
        isSuperuser: Bool? = nil, runner: any CommandRunner = SystemCommandRunner()
    ) {
        self.system = system
        self.root = root
        self.home = home
        self.environment = environment
        self.isSuperuser = isSuperuser ?? (geteuid() == 0)
        self.runner = runner
    }

    /// A path of the machine.
    func path(_ absolute: String) -> String { root + absolute }

    /// The file of a command, looked for in `PATH` and in the folders that a user's `PATH` often lacks.
    func executable(_ name: String) -> String? {
        let path = (environment["PATH"] ?? ExecutableSearch.defaultPath) + ":/usr/sbin:/sbin"
        guard case .found(let file) = ExecutableSearch.find(name, path: path) else { return nil }
        return file
    }

    /// Runs a command that only reads; its messages come in English, since we read them.
    func read(_ arguments: [String]) throws(TrustError) -> CommandResult {
        try runner.run(arguments, environment: commandEnvironment, input: [])
    }

    /// Runs a command of a plan, by sudo where it needs root and we are not.
    func perform(_ command: TrustCommand) throws(TrustError) -> CommandResult {
        try runner.run(command.arguments(isSuperuser: isSuperuser), environment: commandEnvironment, input: [])
    }

    private var commandEnvironment: [String: String] {
        var result = environment
        result["LC_ALL"] = "C"
        result["PATH"] = (environment["PATH"] ?? ExecutableSearch.defaultPath) + ":/usr/sbin:/sbin"
        // A proxy or a trust variable of ours has no business in a store's own tools.
        result["JAVA_TOOL_OPTIONS"] = nil
        return result
    }
}

/// One command of a plan to change a store.
public struct TrustCommand: Sendable, Equatable, CustomStringConvertible {
    /// The command with its arguments, without sudo.
    public let arguments: [String]
    /// Whether it must run as the superuser.
    public let needsRoot: Bool

    /// Creates a command.
    public init(_ arguments: [String], needsRoot: Bool) {
        self.arguments = arguments
        self.needsRoot = needsRoot
    }

    /// What is run, with sudo only where it is needed.
    public func arguments(isSuperuser: Bool) -> [String] {
        needsRoot && !isSuperuser ? ["sudo"] + arguments : arguments
    }

    /// The line to type in a shell.
    public func line(isSuperuser: Bool) -> String {
        arguments(isSuperuser: isSuperuser).map(ShellText.word).joined(separator: " ")
    }

    /// The line to type as a user.
    public var description: String { line(isSuperuser: false) }
}
