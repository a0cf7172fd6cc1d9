import ArgumentParser
import PlayheadCA
import PlayheadCassette
import PlayheadEngine
import PlayheadProxy
import PlayheadTLS
import PlayheadTrust

/// Runs a command's body and turns every error into words on stderr and an exit code of the contract.
enum CommandBoundary {
    static func run(_ body: () async throws -> Void) async throws {
        do { try await body() } catch { throw Self.exit(for: error) }
    }

    static func run(_ body: () throws -> Void) throws {
        do { try body() } catch { throw Self.exit(for: error) }
    }

    private static func exit(for error: any Error) -> any Error {
        if error is ExitCode || error is CleanExit || error is ValidationError { return error }
        let failure = Self.failure(for: error)
        if !failure.message.isEmpty { Terminal.talk("playhead: \(failure.message)") }
        return ExitCode(failure.code.rawValue)
    }

    /// The exit code that a module's error stands for.
    static func failure(for error: any Error) -> CommandFailure {
        switch error {
        case let failure as CommandFailure: failure
        case let error as ProxyError:
            CommandFailure(error.code == .addressNotPermitted ? .noPermission : .portUnavailable, error.message)
        case let error as CassetteError: CommandFailure(Self.code(error), error.description)
        case let error as CAError: CommandFailure(Self.code(error), error.message)
        case let error as EngineError: CommandFailure(.usage, error.message)
        case let error as TLSError: CommandFailure(.badConfiguration, error.message)
        case let error as TrustError: CommandFailure(Self.code(error), error.message)
        default: CommandFailure(.failure, "\(error)")
        }
    }

    private static func code(_ error: CassetteError) -> CommandFailure.Code {
        switch error.code {
        case .cannotWrite: .cannotWrite
        case .denied: .noPermission
        case .illegalName: .usage
        case .locked: .failure
        default: .badCassette
        }
    }

    private static func code(_ error: TrustError) -> CommandFailure.Code {
        switch error.code {
        case .notFound: .commandNotFound
        case .notExecutable: .commandNotExecutable
        case .cannotWrite: .cannotWrite
        case .denied: .noPermission
        case .isolationRefused: .ownFailure
        default: .failure
        }
    }

    private static func code(_ error: CAError) -> CommandFailure.Code {
        switch error.code {
        case .keyReadableByOthers, .denied: .noPermission
        case .cannotWrite: .cannotWrite
        case .notFound: .inputMissing
        default: .badConfiguration
        }
    }
}
