/// What kind of value a piece of JSON text is.
public enum JSONKind: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case bool
    /// A number.
    case number
    /// A string, with its quotes.
    case string
    /// An array, with its brackets.
    case array
    /// An object, with its braces.
    case object
}

/// Bounds for reading JSON from a peer or a file.
public struct JSONLimits: Sendable, Hashable {
    /// How deeply arrays and objects may nest.
    public var depth: Int
    /// How many octets the text may have.
    public var octets: Int
    /// How many values the text may have.
    public var values: Int

    /// Creates bounds; the defaults are 512 levels, 64 MiB and 4 million values.
    public init(depth: Int = 512, octets: Int = 64 << 20, values: Int = 4_000_000) {
        self.depth = depth
        self.octets = octets
        self.values = values
    }
}

/// What a scanner reports, in text order; ranges are octet offsets from the start of the text.
package enum JSONEvent {
    case scalar(JSONKind, Range<Int>)
    case begin(JSONKind, at: Int)
    case end(JSONKind, at: Int)
    /// An object key with its quotes.
    case key(Range<Int>)
}

/// A strict scanner for one JSON text (RFC 8259) that reports where each value lies.
///
/// It keeps its own stack, so deep nesting is an error and never exhausts the stack of a thread.
package struct JSONScanner {
    private let bytes: UnsafeRawBufferPointer
    private let limits: JSONLimits
    private var position = 0
    private var values = 0
    /// Whether each open container is an object.
    private var open: [Bool] = []

    package static func scan(
        _ bytes: UnsafeRawBufferPointer, limits: JSONLimits, _ visit: (JSONEvent) throws(ContentError) -> Void
    ) throws(ContentError) {
        guard bytes.count <= limits.octets else {
            throw ContentError(.tooLarge, "the JSON text has more than \(limits.octets) octets")
        }
        var scanner = JSONScanner(bytes: bytes, limits: limits)
        try scanner.run(visit)
    }

    private init(bytes: UnsafeRawBufferPointer, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    private mutating func run(_ visit: (JSONEvent) throws(ContentError) -> Void) throws(ContentError) {
        try self.value(visit)
        while let isObject = self.open.last {
            // Here a value inside the container is complete, or the container was just opened and is not empty.
            self.skipSpace()
            switch self.peek() {
            case UInt8(ascii: ","):
                self.position += 1
                self.skipSpace()
                if isObject { try self.key(visit) }
                try self.value(visit)
            case UInt8(ascii: "]") where !isObject: try self.close(.array, visit)
            case UInt8(ascii: "}") where isObject: try self.close(.object, visit)
            case nil: throw ContentError(.truncated, "the JSON text is cut off", offset: self.position)
            default: throw self.unexpected(isObject ? "',' or '}'" : "',' or ']'")
            }
        }
        self.skipSpace()
        guard self.position == self.bytes.count else {
            throw ContentError(.trailing, "octets after the end of the JSON text", offset: self.position)
        }
    }

    /// Scans one value; after opening a container that is not empty it goes on with its first value.
    private mutating func value(_ visit: (JSONEvent) throws(ContentError) -> Void) throws(ContentError) {
        while true {
            self.skipSpace()
            self.values += 1
            guard self.values <= self.limits.values else {
                throw ContentError(.tooLarge, "the JSON text has more than \(self.limits.values) values")
            }
            let start = self.position
            switch self.peek() {
            case UInt8(ascii: "{"):
                try self.begin(isObject: true, visit)
                self.skipSpace()
                if self.peek() == UInt8(ascii: "}") { return try self.close(.object, visit) }
                try self.key(visit)
            case UInt8(ascii: "["):
                try self.begin(isObject: false, visit)
                self.skipSpace()
                if self.peek() == UInt8(ascii: "]") { return try self.close(.array, visit) }
            case UInt8(ascii: "\""):
                try self.string()
                return try visit(.scalar(.string, start..<self.position))
            case UInt8(ascii: "t"): return try self.word("true", .bool, visit)
            case UInt8(ascii: "f"): return try self.word("false", .bool, visit)
            case UInt8(ascii: "n"): return try self.word("null", .null, visit)
            case nil: throw ContentError(.truncated, "the JSON text is cut off", offset: self.position)
            case let octet? where octet == UInt8(ascii: "-") || octet &- 0x30 < 10:
                try self.number()
                return try visit(.scalar(.number, start..<self.position))
            default: throw self.unexpected("a value")
            }
        }
    }

    private mutating func begin(
        isObject: Bool, _ visit: (JSONEvent) throws(ContentError) -> Void
    ) throws(ContentError) {
        guard self.open.count < self.limits.depth else {
            throw ContentError(
                .tooDeep, "the JSON text nests more than \(self.limits.depth) levels", offset: self.position)
        }
        try visit(.begin(isObject ? .object : .array, at: self.position))
        self.open.append(isObject)
        self.position += 1
    }

    private mutating func close(
        _ kind: JSONKind, _ visit: (JSONEvent) throws(ContentError) -> Void
    ) throws(ContentError) {
        self.position += 1
        self.open.removeLast()
        try visit(.end(kind, at: self.position))
    }

    private mutating func key(_ visit: (JSONEvent) throws(ContentError) -> Void) throws(ContentError) {
        let start = self.position
        guard self.peek() == UInt8(ascii: "\"") else {
            guard self.peek() != nil else {
                throw ContentError(.truncated, "the JSON text is cut off", offset: self.position)
            }
            throw self.unexpected("a key in double quotes")
        }
        try self.string()
        try visit(.key(start..<self.position))
        self.skipSpace()
        guard self.peek() == UInt8(ascii: ":") else {
            guard self.peek() != nil else {
                throw ContentError(.truncated, "the JSON text is cut off", offset: self.position)
            }
            throw self.unexpected("':'")
        }
        self.position += 1
    }

    private mutating func string() throws(ContentError) {
        self.position += 1
        while self.position < self.bytes.count {
            switch self.bytes[self.position] {
            case UInt8(ascii: "\""):
                self.position += 1
                return
            case UInt8(ascii: "\\"): try self.escape()
            case 0..<0x20: throw self.unexpected("no control character inside a string")
            default: self.position += 1
            }
        }
        throw ContentError(.truncated, "the JSON text is cut off inside a string", offset: self.position)
    }

    private mutating func escape() throws(ContentError) {
        guard self.position + 1 < self.bytes.count else {
            throw ContentError(.truncated, "the JSON text is cut off inside a string", offset: self.position)
        }
        switch self.bytes[self.position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            self.position += 2
        case UInt8(ascii: "u"):
            guard self.position + 6 <= self.bytes.count else {
                throw ContentError(.truncated, "the JSON text is cut off inside a string", offset: self.position)
            }
            for index in self.position + 2..<self.position + 6 where hexadecimalValue(self.bytes[index]) == nil {
                throw self.unexpected("four hexadecimal digits")
            }
            self.position += 6
        default: throw self.unexpected("an escape that JSON has")
        }
    }

    private mutating func number() throws(ContentError) {
        if self.peek() == UInt8(ascii: "-") { self.position += 1 }
        if self.peek() == UInt8(ascii: "0") {
            self.position += 1
        } else {
            try self.digits()
        }
        if self.peek() == UInt8(ascii: ".") {
            self.position += 1
            try self.digits()
        }
        if let mark = self.peek(), mark | 0x20 == UInt8(ascii: "e") {
            self.position += 1
            if let sign = self.peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { self.position += 1 }
            try self.digits()
        }
    }

    private mutating func digits() throws(ContentError) {
        let start = self.position
        while let digit = self.peek(), digit &- 0x30 < 10 { self.position += 1 }
        guard self.position > start else {
            guard self.peek() != nil else {
                throw ContentError(.truncated, "the JSON text is cut off", offset: self.position)
            }
            throw self.unexpected("a digit")
        }
    }

    private mutating func word(
        _ word: StaticString, _ kind: JSONKind, _ visit: (JSONEvent) throws(ContentError) -> Void
    ) throws(ContentError) {
        let start = self.position
        for offset in 0..<word.utf8CodeUnitCount {
            guard let octet = self.peek() else {
                throw ContentError(.truncated, "the JSON text is cut off", offset: self.position)
            }
            guard octet == word.utf8Start[offset] else { throw self.unexpected("a value") }
            self.position += 1
        }
        try visit(.scalar(kind, start..<self.position))
    }

    private mutating func skipSpace() {
        while self.position < self.bytes.count {
            switch self.bytes[self.position] {
            case 0x20, 0x09, 0x0a, 0x0d: self.position += 1
            default: return
            }
        }
    }

    private func peek() -> UInt8? { self.position < self.bytes.count ? self.bytes[self.position] : nil }

    private func unexpected(_ wanted: String) -> ContentError {
        ContentError(.malformed, "the JSON text has something else where \(wanted) should be", offset: self.position)
    }
}

/// The value of a hexadecimal digit.
func hexadecimalValue(_ octet: UInt8) -> UInt8? {
    switch octet {
    case 0x30...0x39: octet - 0x30
    case 0x41...0x46: octet - 0x41 + 10
    case 0x61...0x66: octet - 0x61 + 10
    default: nil
    }
}
