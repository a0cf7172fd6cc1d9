import ArgumentParser
import Foundation
import NIOCore
import PlayheadCassette
import PlayheadEngine
import PlayheadHTTP
import Testing

@testable import PlayheadCLI

struct CassetteLearnTests {
    private let scratch: Scratch

    init() throws {
        self.scratch = try Scratch()
        try self.save("one", "https://a.test/x?t=1", #"{"at": 1, "kept": true}"#)
        try self.save("two", "https://a.test/x?t=2", #"{"at": 2, "kept": true}"#)
    }

    private func save(_ name: String, _ url: String, _ body: String) throws {
        let exchange = Exchange(
            id: "1", recordedAt: Timestamp(milliseconds: 0),
            request: RecordedRequest(
                method: "POST", url: url, headers: HeaderList([("Content-Type", "application/json")]),
                body: RecordedBody(.octets(ByteBuffer(string: body)))),
            outcome: .response(RecordedResponse(status: 200)))
        try CassetteWriter.save(
            Cassette(recordedWith: "x", exchanges: [exchange]),
            to: CassetteLocation(folder: self.scratch.path, name: try CassetteName.validated(name)))
    }

    private func rules() throws -> LearnedRules {
        func exchanges(_ name: String) throws -> [Exchange] {
            try CassetteReader.read(
                CassetteLocation(folder: self.scratch.path, name: try CassetteName.validated(name)))?.exchanges ?? []
        }
        return LearnedRules(first: try exchanges("one"), second: try exchanges("two"))
    }

    @Test func printsLinesForTheFileAndFlags() throws {
        let text = CassetteCommand.Learn.text(try self.rules())
        #expect(
            text == """
                ignore_query:
                - "t"
                ignore_json:
                - "$.at"
                # as flags: --ignore-query 't' --ignore-json '$.at'

                """)
        #expect(try ConfigurationFile.parse(Array(text.utf8), path: "p").0[.ignoreJSON]?.values == ["$.at"])
        #expect(CassetteCommand.Learn.note(try self.rules()) == "compared 1 request")
    }

    @Test func printsVersionedJSON() throws {
        let json = CassetteCommand.Learn.json(try self.rules())
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(object["version"] as? Int == 1 && object["ignore_query"] as? [String] == ["t"])
        #expect(object["ignore_json"] as? [String] == ["$.at"] && object["only_first"] as? [String] == [])
    }

    @Test func aRecordingThatIsNotThereIsAnError() throws {
        let learn = try CassetteCommand.Learn.parse(["--cassettes", self.scratch.path, "one", "three"])
        #expect(throws: (any Error).self) { try learn.run() }
    }
}
