import PlayheadCassette
import Testing

@testable import PlayheadEngine

struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 06-Nov-1994 08:49:37 GMT", "sun, 6 nov 1994 8:49:37",
    ])
    func readsAllForms(_ text: String) {
        #expect(HTTPDate.parse(text)?.description == "1994-11-06T08:49:37.000Z")
    }

    @Test(arguments: [
        "", "0", "-1", "Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT", "06 Nov 1994 25:00:00", "6 Nov 99999 1:1:1",
    ])
    func refusesWhatIsNoDate(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test(arguments: [
        "Thu, 01 Jan 1970 00:00:00 GMT", "Wed, 31 Dec 1969 23:59:59 GMT", "Sun, 06 Nov 1994 08:49:37 GMT",
        "Tue, 29 Feb 2028 12:00:00 GMT", "Sat, 21 Nov 2026 15:00:00 GMT",
    ])
    func writesWhatItRead(_ text: String) throws {
        #expect(HTTPDate.text(try #require(HTTPDate.parse(text))) == text)
    }
}
