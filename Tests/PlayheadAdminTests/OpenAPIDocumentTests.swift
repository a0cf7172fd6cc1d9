import Foundation
import PlayheadProxy
import Testing

@testable import PlayheadAdmin

@Suite struct OpenAPIDocumentTests {
    @Test func describesEveryRouteAndNoOther() throws {
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.text.utf8)) as? [String: Any])
        #expect(document["openapi"] as? String == "3.0.3")
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        let described = Set(paths.flatMap { path, methods in methods.keys.map { "\($0.uppercased()) \(path)" } })
        let served = Set(AdminService.router.routes.map { "\($0.method) \($0.pattern)" })
        #expect(described == served)
    }
}
