import PlayheadContent

/// Writes JSON text with keys in the order given; the same calls give the same octets.
struct JSONWriter {
    private(set) var text = ""
    private var needsComma = false

    /// Writes an object; `body` writes its members.
    mutating func object(_ body: (inout JSONWriter) -> Void) { self.container("{", "}", body) }

    /// Writes an array; `body` writes its items.
    mutating func array(_ body: (inout JSONWriter) -> Void) { self.container("[", "]", body) }

    /// Writes a member whose value `body` writes.
    mutating func member(_ key: String, _ body: (inout JSONWriter) -> Void) {
        self.separate()
        self.text += JSONText.quoted(key) + ":"
        self.needsComma = false
        body(&self)
        self.needsComma = true
    }

    /// Writes a member with a string; nothing if there is none.
    mutating func member(_ key: String, _ value: String?) {
        guard let value else { return }
        self.member(key) { $0.string(value) }
    }

    /// Writes a member with a number; nothing if there is none.
    mutating func member(_ key: String, _ value: Int?) {
        guard let value else { return }
        self.member(key) { $0.number(value) }
    }

    /// Writes a string.
    mutating func string(_ value: String) { self.raw(JSONText.quoted(value)) }

    /// Writes a number.
    mutating func number(_ value: Int) { self.raw("\(value)") }

    /// Writes `true` or `false`.
    mutating func bool(_ value: Bool) { self.raw(value ? "true" : "false") }

    /// The text as octets.
    var octets: [UInt8] { Array(self.text.utf8) }

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
