import NIOCore
import PlayheadContent
import Testing

@testable import PlayheadAdmin

@Suite struct JSONFieldsTests {
    private static func fields(_ text: String) throws -> JSONFields {
        try JSONFields(
            try JSONValue.parse(ByteBuffer(string: text)), in: "a[0]", known: ["s", "n", "b", "l", "f"])
    }

    @Test func readsEachType() throws {
        let fields = try Self.fields(#"{"s":"x","n":7,"b":true,"l":["p","q"],"f":0.25}"#)
        #expect(try fields.string("s") == "x")
        #expect(try fields.integer("n", in: 0...9) == 7)
        #expect(try fields.bool("b") == true)
        #expect(try fields.strings("l") == ["p", "q"])
        #expect(try fields.fraction("f") == 0.25)
        #expect(try Self.fields("{}").string("s") == nil)
    }

    @Test(arguments: ["[]", "1", #"{"x":1}"#, #"{"s":1,"s":2}"#, "null"])
    func refusesOtherShapes(_ text: String) throws { #expect(throws: AdminError.self) { try Self.fields(text) } }

    @Test func namesThePlace() throws {
        let fields = try Self.fields(#"{"s":1,"n":1.5,"b":"true","l":[1],"f":2}"#)
        #expect(throws: AdminError(422, "a[0].s must be a string.")) { try fields.string("s") }
        #expect(throws: AdminError(422, "a[0].n must be a whole number from 0 to 9.")) {
            try fields.integer("n", in: 0...9)
        }
        #expect(throws: AdminError(422, "a[0].b must be true or false.")) { try fields.bool("b") }
        #expect(throws: AdminError(422, "a[0].l must be an array of strings.")) { try fields.strings("l") }
        #expect(throws: AdminError(422, "a[0].f must be a number from 0 to 1.")) { try fields.fraction("f") }
    }
}
