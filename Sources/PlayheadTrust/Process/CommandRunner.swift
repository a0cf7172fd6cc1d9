#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What a finished command left.
public struct CommandResult: Sendable, Equatable {
    /// The exit code; 128+N for signal N.
    public var status: Int32
    /// What it wrote to standard output.
    public var output: [UInt8]
    /// What it wrote to standard error.
    public var errorOutput: [UInt8]

    /// Creates a result.
    public init(status: Int32, output: [UInt8] = [], errorOutput: [UInt8] = []) {
        self.status = status
        self.output = output
        self.errorOutput = errorOutput
    }

    /// Standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
    /// Standard error as text.
    public var errorText: String { String(decoding: errorOutput, as: UTF8.self) }
}

/// Runs a command to its end; tests give one that only writes the arguments down.
public protocol CommandRunner: Sendable {
    /// Runs a command whose first argument is its name or path, with exactly this environment and input.
    func run(_ arguments: [String], environment: [String: String], input: [UInt8]) throws(TrustError) -> CommandResult
}

/// Runs commands as child processes.
public struct SystemCommandRunner: CommandRunner {
    /// Creates a runner.
    public init() {}

    /// Runs a command and collects what it writes.
    public func run(
        _ arguments: [String], environment: [String: String], input: [UInt8]
    ) throws(TrustError) -> CommandResult {
        let name = arguments.first ?? ""
        let file: String
        switch ExecutableSearch.find(name, path: environment["PATH"]) {
        case .found(let path): file = path
        case .notExecutable(let path): throw TrustError(.notExecutable, "\(path) may not be run; check its permissions")
        case .notFound: throw TrustError(.notFound, "\(name) is not installed, or not in PATH")
        }
        let toChild = try Pipe()
        let output = try Pipe()
        let errors = try Pipe()
        let pid = try Spawn.start(
            file, arguments: arguments, environment: environment,
            descriptors: (toChild.reading.number, output.writing.number, errors.writing.number))
        toChild.reading.close()
        output.writing.close()
        errors.writing.close()
        var result = CommandResult(status: 0)
        Self.exchange(input, toChild.writing, output.reading, errors.reading, &result)
        var status: Int32 = 0
        _ = retryingInterrupts { Int(waitpid(pid, &status, 0)) }
        result.status = ProcessEnd(waitStatus: status).exitCode
        return result
    }

    /// Writes the input and reads both outputs at once, so that no full pipe can stop either side.
    private static func exchange(
        _ input: [UInt8], _ writing: Descriptor, _ output: Descriptor, _ errors: Descriptor,
        _ result: inout CommandResult
    ) {
        // The command may end without reading: EPIPE is an answer here, so the signal must not kill us.
        signal(SIGPIPE, SIG_IGN)
        _ = fcntl(writing.number, F_SETFL, O_NONBLOCK)
        var written = 0
        if input.isEmpty { writing.close() }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while output.isOpen || errors.isOpen {
            var polls = [output, errors, writing].map { (descriptor: Descriptor) in
                // poll(2) skips negative descriptors.
                pollfd(
                    fd: descriptor.isOpen ? descriptor.number : -1,
                    events: Int16(descriptor === writing ? POLLOUT : POLLIN), revents: 0)
            }
            guard retryingInterrupts({ Int(poll(&polls, nfds_t(polls.count), -1)) }) >= 0 else { return }
            if polls[2].revents != 0 {
                let count = input.withUnsafeBytes {
                    write(writing.number, $0.baseAddress.map { $0 + written }, $0.count - written)
                }
                if count > 0 { written += count }
                if written == input.count || (count < 0 && errno != EAGAIN && errno != EINTR) { writing.close() }
            }
            for (index, descriptor) in [output, errors].enumerated() where polls[index].revents != 0 {
                let count = retryingInterrupts {
                    buffer.withUnsafeMutableBytes { read(descriptor.number, $0.baseAddress, $0.count) }
                }
                if count <= 0 {
                    descriptor.close()
                } else if index == 0 {
                    result.output.append(contentsOf: buffer[..<count])
                } else {
                    result.errorOutput.append(contentsOf: buffer[..<count])
                }
            }
        }
    }
}

/// A file descriptor with one owner.
private final class Descriptor {
    let number: Int32
    private(set) var isOpen = true

    init(_ number: Int32) { self.number = number }

    func close() {
        guard isOpen else { return }
        isOpen = false
        #if canImport(Darwin)
            _ = Darwin.close(number)
        #elseif canImport(Musl)
            _ = Musl.close(number)
        #else
            _ = Glibc.close(number)
        #endif
    }

    deinit { close() }
}

/// Both ends of a pipe, closed in every child but where they are given on purpose.
private struct Pipe {
    let reading: Descriptor
    let writing: Descriptor

    init() throws(TrustError) {
        let ends = try Spawn.pipe()
        reading = Descriptor(ends.reading)
        writing = Descriptor(ends.writing)
    }
}
