public import NIOCore

/// The fields of one message, exactly as they were on the wire: bytes, order, letter case and repeats.
///
/// All fields share one buffer, so a decoder hands over its input without copying; a change copies once.
/// Names compare without case (RFC 9110 section 5.1); values are bytes, never re-encoded.
public struct HeaderList: Sendable {
    /// Where one field lies in the shared buffer, in octets.
    struct Slot: Sendable {
        var nameStart: UInt32
        var nameLength: UInt32
        var valueStart: UInt32
        var valueLength: UInt32

        var name: Range<Int> { Int(self.nameStart)..<Int(self.nameStart &+ self.nameLength) }
        var value: Range<Int> { Int(self.valueStart)..<Int(self.valueStart &+ self.valueLength) }
    }

    var storage: ByteBuffer
    var slots: [Slot]

    /// Creates an empty list.
    public init() {
        self.storage = ByteBuffer()
        self.slots = []
    }

    /// Creates a list from text; the values are stored as UTF-8.
    public init(_ fields: [(String, String)]) {
        self.init()
        for (name, value) in fields { self.append(name: name, value: value) }
    }

    /// Creates a list over a buffer that already holds the fields; offsets are absolute indices into `storage`.
    init(storage: ByteBuffer, slots: [Slot]) {
        self.storage = storage
        self.slots = slots
    }

    /// The number of fields; repeats count each.
    public var count: Int { self.slots.count }

    /// At least the octets that all fields take on the wire; more when fields were removed or came with other text.
    public var octetCount: Int { self.storage.readableBytes }

    /// Whether there is no field.
    public var isEmpty: Bool { self.slots.isEmpty }

    /// The indices of the fields, in wire order.
    public var indices: Range<Int> { self.slots.indices }

    /// The name of a field as sent.
    public func name(at index: Int) -> String {
        self.withName(at: index) { decodeText($0) }
    }

    /// The value of a field as text: UTF-8 where it is valid, else Latin-1 (RFC 9110 section 5.5).
    public func value(at index: Int) -> String {
        self.withValue(at: index) { decodeText($0) }
    }

    /// Calls `body` with the octets of a field's name.
    public func withName<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try self.withOctets(self.slots[index].name, body)
    }

    /// Calls `body` with the octets of a field's value.
    public func withValue<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try self.withOctets(self.slots[index].value, body)
    }

    /// Whether the field at `index` has this name, letter case aside.
    public func isName(at index: Int, _ name: String) -> Bool {
        guard Int(self.slots[index].nameLength) == name.utf8.count else { return false }
        return self.withName(at: index) { equalsIgnoringCase($0, name) }
    }

    /// The index of the first field with this name.
    public func firstIndex(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { wanted in
            self.storage.withVeryUnsafeBytes { octets in
                self.slots.firstIndex { slot in
                    Int(slot.nameLength) == wanted.count
                        && equalsIgnoringCase(UnsafeRawBufferPointer(rebasing: octets[slot.name]), wanted)
                }
            }
        }
    }

    /// Whether a field has this name.
    public func contains(_ name: String) -> Bool { self.firstIndex(of: name) != nil }

    /// The value of the first field with this name.
    public func first(_ name: String) -> String? { self.firstIndex(of: name).map { self.value(at: $0) } }

    /// The values of all fields with this name, in order.
    public func values(_ name: String) -> [String] {
        self.slots.indices.filter { self.isName(at: $0, name) }.map { self.value(at: $0) }
    }

    /// The members of all comma-separated values of this name, trimmed and without empty ones
    /// (RFC 9110 section 5.6.1).
    public func members(of name: String) -> [String] {
        self.values(name).flatMap { value in
            value.split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty }
        }
    }

    /// Adds a field at the end; the value is stored as UTF-8.
    ///
    /// CR, LF, NUL and other controls in a value become spaces (RFC 9110 section 5.5), and octets that a name must
    /// not have become `-`, so that a list never holds a field that could break out of its line.
    public mutating func append(name: String, value: String) {
        self.append(name: name, octets: value.utf8)
    }

    /// Adds a field at the end, with the octets of `value`; see `append(name:value:)` for what is replaced.
    public mutating func append(name: String, octets value: some Sequence<UInt8>) {
        let nameStart = self.storage.writerIndex
        let nameLength = self.storage.writeBytes(
            (name.isEmpty ? "-" : name).utf8.lazy.map { Octets.isToken($0) ? $0 : UInt8(ascii: "-") })
        // Kept as it looks on the wire, so that `write(into:)` can copy runs of fields at once.
        self.storage.writeStaticString(": ")
        let (valueStart, valueLength) = self.writeValue(value)
        self.storage.writeStaticString("\r\n")
        self.slots.append(
            Slot(
                nameStart: UInt32(nameStart), nameLength: UInt32(nameLength), valueStart: valueStart,
                valueLength: valueLength))
    }

    /// Puts another value in place of the one at `index`; name and position stay.
    public mutating func setValue(at index: Int, _ value: String) {
        let (start, length) = self.writeValue(value.utf8)
        self.slots[index].valueStart = start
        self.slots[index].valueLength = length
    }

    private mutating func writeValue(_ value: some Sequence<UInt8>) -> (start: UInt32, length: UInt32) {
        let start = self.storage.writerIndex
        // Nearly all values are good as they are, and then go in by one copy.
        let copied = value.withContiguousStorageIfAvailable { octets -> Int? in
            let octets = UnsafeRawBufferPointer(octets)
            return Octets.areFieldValue(octets) ? self.storage.writeBytes(octets) : nil
        }
        let length =
            (copied ?? nil)
            ?? self.storage.writeBytes(value.lazy.map { Octets.isForbiddenInValue($0) ? Octets.space : $0 })
        return (UInt32(start), UInt32(length))
    }

    /// Sets the first field of this name (its place and letter case stay) and removes repeats; appends if there is none.
    public mutating func set(_ name: String, _ value: String) {
        guard let index = self.firstIndex(of: name) else { return self.append(name: name, value: value) }
        self.setValue(at: index, value)
        for later in self.slots.indices.reversed() where later > index && self.isName(at: later, name) {
            self.slots.remove(at: later)
        }
    }

    /// Removes all fields with this name.
    public mutating func remove(_ name: String) {
        self.removeAll { list, index in list.isName(at: index, name) }
    }

    /// Removes the fields for which `predicate` holds.
    public mutating func removeAll(where predicate: (HeaderList, Int) throws -> Bool) rethrows {
        var kept: [Slot] = []
        kept.reserveCapacity(self.slots.count)
        for index in self.slots.indices where try !predicate(self, index) { kept.append(self.slots[index]) }
        if kept.count != self.slots.count { self.slots = kept }
    }

    /// Writes all fields as `Name: value` CRLF, without the empty line at the end.
    public func write(into buffer: inout ByteBuffer) {
        self.storage.withVeryUnsafeBytes { octets in
            // Octets from `runStart` to `runEnd` stand in storage as they go out, and go out in one copy.
            var runStart = 0
            var runEnd = 0
            for slot in self.slots {
                let name = slot.name
                let value = slot.value
                guard Self.isInWireForm(name, value, octets) else {
                    buffer.writeBytes(UnsafeRawBufferPointer(rebasing: octets[runStart..<runEnd]))
                    buffer.writeBytes(UnsafeRawBufferPointer(rebasing: octets[name]))
                    buffer.writeStaticString(": ")
                    buffer.writeBytes(UnsafeRawBufferPointer(rebasing: octets[value]))
                    buffer.writeStaticString("\r\n")
                    (runStart, runEnd) = (0, 0)
                    continue
                }
                if name.lowerBound != runEnd {
                    buffer.writeBytes(UnsafeRawBufferPointer(rebasing: octets[runStart..<runEnd]))
                    runStart = name.lowerBound
                }
                runEnd = value.upperBound + 2
            }
            buffer.writeBytes(UnsafeRawBufferPointer(rebasing: octets[runStart..<runEnd]))
        }
    }

    /// Whether a field stands in storage with `: ` before its value and CR LF after it.
    @inline(__always)
    private static func isInWireForm(
        _ name: Range<Int>, _ value: Range<Int>, _ octets: UnsafeRawBufferPointer
    ) -> Bool {
        value.lowerBound == name.upperBound + 2 && value.upperBound + 2 <= octets.count
            && octets[name.upperBound] == Octets.colon && octets[name.upperBound + 1] == Octets.space
            && octets[value.upperBound] == Octets.carriageReturn && octets[value.upperBound + 1] == Octets.lineFeed
    }

    private func withOctets<Result>(
        _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        // The slots count from the buffer's own index 0, not from its reader index.
        try self.storage.withVeryUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
}

extension HeaderList: Equatable {
    /// Equal when the same names (octets) have the same values (octets) in the same order.
    public static func == (left: HeaderList, right: HeaderList) -> Bool {
        guard left.count == right.count else { return false }
        return left.indices.allSatisfy { index in
            left.withName(at: index) { a in right.withName(at: index) { b in a.elementsEqual(b) } }
                && left.withValue(at: index) { a in right.withValue(at: index) { b in a.elementsEqual(b) } }
        }
    }
}

extension HeaderList: CustomStringConvertible {
    /// Only the names: values may be secrets and do not belong in a log.
    public var description: String { "[" + self.indices.map { self.name(at: $0) }.joined(separator: ", ") + "]" }
}
