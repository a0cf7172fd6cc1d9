import PlayheadContent

/// Writes JSON text with keys in the order given; the same calls give the same octets.
package struct JSONWriter {
    package private(set) var text = ""
    private var needsComma = false

    /// A writer that has written nothing.
    package init() {}

    /// Writes an object; `body` writes its members.
    package mutating func object(_ body: (inout JSONWriter) -> Void) { self.container("{", "}", body) }

    /// Writes an array; `body` writes its items.
    package mutating func array(_ body: (inout JSONWriter) -> Void) { self.container("[", "]", body) }

    /// Writes a member whose value `body` writes.
    package mutating func member(_ key: String, _ body: (inout JSONWriter) -> Void) {
        self.separate()
        self.text += JSONText.quoted(key) + ":"
        self.needsComma = false
        body(&self)
        self.needsComma = true
    }

    /// Writes a member with a string; nothing if there is none.
    package mutating func member(_ key: String, _ value: String?) {
        guard let value else { return }
        self.member(key) { $0.string(value) }
    }

    /// Writes a member with a number; nothing if there is none.
    package mutating func member(_ key: String, _ value: Int?) {
        guard let value else { return }
        self.member(key) { $0.number(value) }
    }

    /// Writes a string.
    package mutating func string(_ value: String) { self.raw(JSONText.quoted(value)) }

    /// Writes a number.
    package mutating func number(_ value: Int) { self.raw("\(value)") }

    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) { self.raw(value ? "true" : "false") }

    /// Writes a value that is JSON text already.
    package mutating func json(_ text: String) { self.raw(text) }

    /// The text as octets.
    package var octets: [UInt8] { Array(self.text.utf8) }

    private mutating func raw(_ value: String) {
        self.separate()
        self.text += value
        self.needsComma = true
    }

    private mutating func container(_ open: String, _ close: String, _ body: (inout JSONWriter) -> Void) {
        self.separate()
        self.text += open
        self.needsComma = false
        body(&self)
        self.text += close
        self.needsComma = true
    }

    private mutating func separate() {
        if self.needsComma { self.text += "," }
        self.needsComma = false
    }
}
