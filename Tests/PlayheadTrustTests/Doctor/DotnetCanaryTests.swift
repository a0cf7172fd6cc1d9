import Foundation
import Testing

@testable import PlayheadTrust

/// The assembly that is put together here; `DoctorTests` has a real runtime run it.
struct DotnetCanaryTests {
    private let file = DotnetCanary.assembly

    private func number(_ offset: Int, _ count: Int) throws -> Int {
        try #require(offset >= 0 && offset + count <= self.file.count, "\(offset) lies outside")
        return self.file[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    @Test func theHeadersLeadToTheMetadata() throws {
        #expect(self.file.starts(with: Array("MZ".utf8)))
        let pe = try self.number(0x3C, 4)
        #expect(try self.number(pe, 4) == 0x4550)
        #expect(self.file.count % 512 == 0)
        // Section 0: its place in memory and in the file, behind a 24-octet and a 224-octet header.
        let section = pe + 24 + 224
        let (memory, offset) = (try self.number(section + 12, 4), try self.number(section + 20, 4))
        #expect(try self.number(section + 16, 4) == self.file.count - offset)
        let header = try self.number(pe + 24 + 96 + 14 * 8, 4) - memory + offset
        #expect(try self.number(header, 4) == 72)
        let metadata = try self.number(header + 8, 4) - memory + offset
        #expect(try self.number(metadata, 4) == 0x424A_5342)
        #expect(try self.number(header + 12, 4) + metadata <= self.file.count)
        // Each stream lies inside the metadata.
        #expect(try self.number(metadata + 30, 2) == 4)
    }

    @Test func itNamesWhatItCalls() {
        let text = String(decoding: self.file, as: UTF8.self)
        for name in ["System.Net.Http", "HttpClient", "GetStringAsync", "get_Result", "WriteLine", "System.Runtime"] {
            #expect(text.contains("\0\(name)\0"))
        }
    }

    @Test func theConfigurationIsJSON() throws {
        let value = try JSONSerialization.jsonObject(with: Data(DotnetCanary.configuration.utf8)) as? [String: Any]
        let options = try #require(value?["runtimeOptions"] as? [String: Any])
        #expect(options["rollForward"] as? String == "LatestMajor")
    }
}
