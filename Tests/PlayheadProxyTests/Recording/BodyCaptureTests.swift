import CFaults
import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

/// A body that is recorded is whole, or the user hears that it is not.
@Suite struct BodyCaptureTests {
    private static let piece = ByteBuffer(string: String(repeating: "text ", count: 8000))
    private let folder: Folder
    private let session: CassetteSession

    init() throws {
        self.folder = try Folder()
        let location = CassetteLocation(folder: self.folder.path, name: try CassetteName.validated("one"))
        self.session = try CassetteSession.open(
            SessionOptions(location: location, mode: .once, recordedWith: "test"),
            clock: { Timestamp(milliseconds: 1_000_000) })
    }

    /// Captures 200,000 octets; over the bound of 100,000 they go to a side file.
    private func capture(wholeLimit: Int) -> (capture: BodyCapture, stored: LargeBody.Stored) {
        var capture = BodyCapture(headers: HeaderList(), wholeLimit: wholeLimit)
        for _ in 0..<5 { capture.append(Self.piece) }
        let stored = capture.finish(headers: HeaderList(), isRequest: false, in: self.session)
        return (capture, stored)
    }

    @Test(arguments: [1 << 20, 100_000]) func keepsABodyThatDoesNotFitIntoMemory(limit: Int) throws {
        let (capture, stored) = self.capture(wholeLimit: limit)
        #expect(capture.loss == nil)
        #expect(stored.loss == nil)
        let octets = try stored.body.octets(at: self.session.location)
        #expect(String(buffer: octets) == String(repeating: "text ", count: 40_000))
    }

    @Test(.enabled(if: faults_work() != 0), arguments: [1 << 20, 100_000], [false, true])
    func everyFailedCallIsALossThatIsSaid(limit: Int, lasts: Bool) throws {
        var number: Int32 = 1
        while true {
            faults_begin(number, lasts ? 1 : 0, ENOSPC)
            let (capture, stored) = self.capture(wholeLimit: limit)
            guard faults_end() >= number else { break }
            if stored.body.isTruncated {
                let loss = try #require(capture.loss, "call \(number)")
                #expect(loss.contains("TMPDIR") || loss.contains(self.folder.path), "call \(number): \(loss)")
            } else {
                // A folder that is there already need not be made.
                let octets = try stored.body.octets(at: self.session.location)
                #expect(octets.readableBytes == 200_000, "call \(number)")
            }
            number += 1
        }
        #expect(number > 4)
    }
}
