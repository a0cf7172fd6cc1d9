import NIOCore
import PlayheadContent
import Testing

struct MediaTypeTests {
    @Test func readsTypesAndParameters() throws {
        let type = try #require(MediaType.parse(" Multipart/Form-Data ; Boundary=\"a;b\\\"c\" ; charset=x"))
        #expect(type.type == "multipart" && type.subtype == "form-data")
        #expect(type.multipartBoundary == "a;b\"c")
        #expect(type.parameter("charset") == "x")
        for text in ["", "text", "/", "text/", "/plain", "a/b/c", ";"] {
            #expect(MediaType.parse(text) == nil, "\(text)")
        }
    }

    @Test func knowsWhatIsTextAndJSON() throws {
        for (text, isJSON, isText) in [
            ("application/json", true, true), ("application/problem+json; a=b", true, true), ("text/json", true, true),
            ("text/html", false, true), ("image/svg+xml", false, true), ("image/png", false, false),
            ("application/octet-stream", false, false), ("application/x-www-form-urlencoded", false, true),
        ] {
            let type = try #require(MediaType.parse(text))
            #expect(type.isJSON == isJSON && type.isText == isText, "\(text)")
        }
    }

    @Test func changesOnlyThePairThatIsSet() throws {
        var form = FormBody("a=1+2&&b=%41%zz&token=s%20x&flag")
        #expect(form.pairs.map(\.name) == ["a", "", "b", "token", "flag"])
        #expect(form.pairs.map(\.value) == ["1 2", "", "A%zz", "s x", ""])
        #expect(form.text == "a=1+2&&b=%41%zz&token=s%20x&flag")
        form.pairs[3].setValue("[R] é")
        #expect(form.text == "a=1+2&&b=%41%zz&token=%5BR%5D+%C3%A9&flag")
        #expect(FormBody("").pairs.isEmpty)
        #expect(FormBody("%").pairs.first?.name == "%")
        #expect(FormBody("%4").pairs.first?.name == "%4")
        #expect(FormBody("=v").pairs.first?.value == "v")
        #expect(FormBody(ByteBuffer(bytes: [0xff])) == nil)
    }

    @Test func splitsMultipartBodies() throws {
        let text =
            "preamble\r\n--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n--B  \r\n"
            + "Content-Disposition: form-data; name=f; filename=\"x.png\"\r\nContent-Type: image/png\r\n\r\n--Bx\r\n\0\r\n"
            + "\r\n--B\r\n\r\nempty head\r\n--B--\r\nepilogue"
        let body = ByteBuffer(string: text)
        let parts = try MultipartBody(body, boundary: "B").parts
        #expect(parts.map(\.name) == ["a", "f", nil])
        #expect(parts.map { String(buffer: $0.bytes) } == ["one", "--Bx\r\n\0\r\n", "empty head"])
        #expect(parts[1].filename == "x.png" && parts[1].mediaType?.subtype == "png")
        #expect(parts.allSatisfy { body.getSlice(at: $0.range.lowerBound, length: $0.range.count) == $0.bytes })
    }

    @Test func neverTrapsOnCutMultipartBodies() throws {
        let text = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n--B\r\n\r\n\r\n--B--"
        for length in 0..<text.utf8.count - 2 {
            let cut = ByteBuffer(bytes: text.utf8.prefix(length))
            #expect(throws: ContentError.self, "\(length)") { try MultipartBody(cut, boundary: "B") }
        }
        #expect(throws: ContentError.self) { try MultipartBody(ByteBuffer(string: "--B--"), boundary: "") }
        #expect(try MultipartBody(ByteBuffer(string: "--B--"), boundary: "B").parts.isEmpty)
    }
}
