import Foundation
import PlayheadCA
import PlayheadCassette
import PlayheadEngine
import PlayheadProxy
import PlayheadTrust
import Testing

@testable import PlayheadCLI

@Suite struct CommandBoundaryTests {
    @Test func theCodesAreThoseOfTheContract() {
        let codes: [(CommandFailure.Code, Int32)] = [
            (.failure, 1), (.miss, 3), (.unused, 4), (.secretFound, 5), (.clientDistrust, 6), (.usage, 64),
            (.badCassette, 65), (.inputMissing, 66), (.portUnavailable, 69), (.cannotWrite, 73), (.noPermission, 77),
            (.badConfiguration, 78), (.timeout, 124), (.ownFailure, 125), (.commandNotExecutable, 126),
            (.commandNotFound, 127),
        ]
        for (code, number) in codes { #expect(code.rawValue == number) }
    }

    @Test func aFailureOfOursStaysAsItIs() {
        let failure = CommandBoundary.failure(for: CommandFailure(.cannotWrite, "words"))
        #expect(failure.code == .cannotWrite)
        #expect(failure.message == "words")
    }

    @Test(arguments: [
        ("x/../y", CommandFailure.Code.usage), ("", .usage),
    ])
    func anIllegalCassetteNameIsAUsageError(name: String, code: CommandFailure.Code) {
        #expect(failure { _ = try CassetteName.validated(name) }?.code == code)
    }

    @Test func aBrokenCassetteIs65AndNamesFileAndLine() throws {
        let scratch = try Scratch()
        let path = try scratch.write("broken.yaml", "playhead: 1\nexchanges:\n- foo: 1\n")
        let location = CassetteLocation(folder: scratch.path, name: try CassetteName.validated("broken"))
        let failure = try #require(failure { _ = try CassetteReader.read(location) })
        #expect(failure.code == .badCassette)
        #expect(failure.message.hasPrefix("\(path):3: "))
    }

    @Test func aFullOrForbiddenPlaceIs73() throws {
        let failure = try #require(failure { try FileText.replace("/dev/null/x", with: "text") })
        #expect(failure.code == .cannotWrite)
        #expect(failure.message.hasPrefix("/dev/null/x cannot be written: "))
    }

    @Test(arguments: [(CassetteError.Code.denied, CommandFailure.Code.noPermission), (.cannotWrite, .cannotWrite)])
    func whatTheSystemRefusesIs77(kind: CassetteError.Code, code: CommandFailure.Code) {
        #expect(CommandBoundary.failure(for: CassetteError(kind, "words", file: "f")).code == code)
    }

    @Test func whatTheSystemRefusesIs77InEveryModule() {
        #expect(CommandFailure.Code.system(.inputMissing, EACCES) == .noPermission)
        #expect(CommandFailure.Code.system(.cannotWrite, EPERM) == .noPermission)
        #expect(CommandFailure.Code.system(.cannotWrite, ENOSPC) == .cannotWrite)
        #expect(CommandBoundary.failure(for: CAError(code: .denied, message: "words")).code == .noPermission)
        #expect(CommandBoundary.failure(for: TrustError(.denied, "words")).code == .noPermission)
    }

    @Test func anUnknownErrorIsAPlainFailure() {
        struct Odd: Error {}
        #expect(CommandBoundary.failure(for: Odd()).code == .failure)
    }
}
