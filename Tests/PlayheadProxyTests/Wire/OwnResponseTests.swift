import NIOCore
import PlayheadHTTP
import Testing

@testable import PlayheadProxy

struct OwnResponseTests {
    /// A mock that was made is no error.
    @Test(arguments: [
        (201, "Created"), (204, "No Content"), (299, ""), (404, "Not Found"), (418, "I'm a teapot"), (499, "Error"),
    ])
    func aStatusHasItsPhrase(_ status: Int, _ phrase: String) {
        let response = OwnResponse(status: status, headers: HeaderList(), body: ByteBuffer(string: "abc"))
        #expect(response.head.reason == phrase)
        #expect(response.head.headers.first("content-length") == "3")
    }
}
