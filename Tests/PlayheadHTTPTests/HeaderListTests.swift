import NIOCore
import PlayheadHTTP
import Testing

@Suite struct HeaderListTests {
    private func decoded(_ fields: String) throws -> HeaderList {
        var decoder = HTTP1RequestDecoder()
        // What follows in the same buffer must never show up in the list.
        decoder.append(ByteBuffer(bytes: latin1("GET / HTTP/1.0\r\n\(fields)\r\nGET /next HTTP/1.0\r\n")))
        guard case .head(let head, _) = try decoder.next() else { return HeaderList() }
        return head.headers
    }

    private func wire(_ list: HeaderList) -> String {
        var buffer = ByteBuffer()
        list.write(into: &buffer)
        return String(
            decoding: buffer.readableBytesView.flatMap { Array(String(UnicodeScalar($0)).utf8) }, as: UTF8.self)
    }

    @Test func givesBackTheOctetsItCameFrom() throws {
        for (fields, canonical) in [
            ("", ""), ("A: b\r\n", "A: b\r\n"),
            ("A: b\r\nC: d\r\na: \r\nE: caf\u{E9} \"x\"\r\n", "A: b\r\nC: d\r\na: \r\nE: caf\u{E9} \"x\"\r\n"),
            ("A: b\r\nC:d\r\nE:\t f \r\nG:\r\nH: i\r\n", "A: b\r\nC: d\r\nE: f\r\nG: \r\nH: i\r\n"),
        ] {
            let list = try self.decoded(fields)
            #expect(self.wire(list) == canonical)
        }
    }

    @Test func writesEditedListsInOrder() throws {
        var list = try self.decoded("A: 1\r\nB: 2\r\nC:3\r\nD: 4\r\nB: 5\r\n")
        list.set("b", "new")
        list.append(name: "E", value: "6")
        list.remove("D")
        list.append(name: "F", octets: [0xE9])
        #expect(self.wire(list) == "A: 1\r\nB: new\r\nC: 3\r\nE: 6\r\nF: \u{E9}\r\n")
        #expect(list == list)
        let other = HeaderList([("A", "1"), ("B", "new"), ("C", "3"), ("E", "6"), ("F", "x")])
        #expect(list != other)
    }

    @Test func leavesTheOriginalAloneWhenACopyChanges() throws {
        let original = try self.decoded("A: 1\r\nB: 2\r\n")
        var copy = original
        copy.set("A", "changed")
        copy.append(name: "C", value: "3")
        #expect(self.wire(original) == "A: 1\r\nB: 2\r\n")
        #expect(self.wire(copy) == "A: changed\r\nB: 2\r\nC: 3\r\n")
    }

    @Test func findsNamesWithoutCase() throws {
        let list = try self.decoded("X-A: 1\r\nx-a: 2, 3 ,\r\nX-AB: 4\r\nXaA: 5\r\n")
        #expect(list.firstIndex(of: "x-A") == 0)
        #expect(list.values("X-a") == ["1", "2, 3 ,"])
        #expect(list.members(of: "x-a") == ["1", "2", "3"])
        #expect(list.first("x-ab") == "4")
        #expect(list.contains("XAA"))
        // `@` and backtick differ from letters by the case bit only.
        #expect(!list.contains("x\ra") && !list.contains("x-"))
        #expect(list.isName(at: 3, "xaa") && !list.isName(at: 3, "x-a"))
    }

    @Test func readsLatin1AndUTF8() throws {
        let list = try self.decoded("A: \u{E9}\r\nB: \u{C3}\u{A9}\r\n")
        #expect(list.value(at: 0) == "é")
        #expect(list.value(at: 1) == "é")
        #expect(list.withValue(at: 0) { Array($0) } == [0xE9])
    }

    @Test func cannotHoldAFieldThatBreaksOutOfItsLine() {
        var list = HeaderList([("A\r\nB: c", "1\r\nEvil: 2"), ("", "\0\u{7F}\tx")])
        list.setValue(at: 0, "3\nEvil: 4")
        #expect(self.wire(list) == "A--B--c: 3 Evil: 4\r\n-:   \tx\r\n")
    }

    @Test func showsNoValuesInItsDescription() {
        #expect("\(HeaderList([("Authorization", "secret")]))" == "[Authorization]")
    }
}
