import NIOCore
import PlayheadContent
import PlayheadHTTP
import Testing

@testable import PlayheadAdmin

@Suite struct AdminRequestTests {
    @Test func readsTheQuery() throws {
        let request = AdminRequest(method: "GET", target: "/x?a=1&b=c%20d+e&flag&a=2&n=7")
        #expect(request.query("a") == "1")
        #expect(request.query("b") == "c d e")
        #expect(request.query("flag") == "")
        #expect(request.query("z") == nil)
        #expect(try request.number("n", in: 1...10, default: 3) == 7)
        #expect(try request.number("z", in: 1...10, default: 3) == 3)
        #expect(throws: AdminError.self) { try request.number("n", in: 1...6, default: 3) }
        #expect(throws: AdminError.self) { try request.number("b", in: 1...6, default: 3) }
    }

    private static func json(_ type: String?, _ body: String) -> Result<JSONValue, AdminError> {
        var request = AdminRequest(method: "POST", target: "/x", body: ByteBuffer(string: body))
        if let type { request.headers.append(name: "Content-Type", value: type) }
        return Result { () throws(AdminError) in try request.json() }
    }

    /// Only a type that a cross-site form cannot send changes anything.
    @Test func takesJSONOnly() throws {
        #expect(try Self.json("application/json; charset=utf-8", #"{"a":1}"#).get()["a"] != nil)
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", nil] {
            #expect(throws: AdminError.self) { try Self.json(type, "{}").get() }
        }
        for body in ["", "{", "[1,", String(repeating: "[", count: 100)] {
            guard case .failure(let error) = Self.json("application/json", body) else {
                Issue.record("\(body) is JSON")
                continue
            }
            #expect(error.status == 400)
        }
    }
}
