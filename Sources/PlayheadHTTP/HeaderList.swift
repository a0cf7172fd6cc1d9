public import NIOCore

/// The fields of one message, exactly as they were on the wire: bytes, order, letter case and repeats.
///
/// All fields share one buffer, so a decoder hands over its input without copying; a change copies once.
/// Names compare without case (RFC 9110 section 5.1); values are bytes, never re-encoded.
public struct HeaderList: Sendable {
    /// Where one field lies in the shared buffer, in octets.
    struct Slot: Sendable {
        var nameStart: Int
        var nameLength: Int
        var valueStart: Int
        var valueLength: Int
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

    /// Whether there is no field.
    public var isEmpty: Bool { self.slots.isEmpty }

    /// The indices of the fields, in wire order.
    public var indices: Range<Int> { self.slots.indices }

    /// The name of a field as sent.
    public func name(at index: Int) -> String {
        let slot = self.slots[index]
        return self.text(slot.nameStart, slot.nameLength)
    }

    /// The value of a field as text: UTF-8 where it is valid, else Latin-1 (RFC 9110 section 5.5).
    public func value(at index: Int) -> String {
        let slot = self.slots[index]
        return self.text(slot.valueStart, slot.valueLength)
    }

    /// Calls `body` with the octets of a field's name.
    public func withName<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let slot = self.slots[index]
        return try self.withOctets(slot.nameStart, slot.nameLength, body)
    }

    /// Calls `body` with the octets of a field's value.
    public func withValue<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let slot = self.slots[index]
        return try self.withOctets(slot.valueStart, slot.valueLength, body)
    }

    /// Whether the field at `index` has this name, letter case aside.
    public func isName(at index: Int, _ name: String) -> Bool {
        guard self.slots[index].nameLength == name.utf8.count else { return false }
        return self.withName(at: index) { equalsIgnoringCase($0, name) }
    }

    /// The index of the first field with this name.
    public func firstIndex(of name: String) -> Int? {
        self.slots.indices.first { self.isName(at: $0, name) }
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

    /// Adds a field at the end.
    public mutating func append(name: String, value: String) {
        let nameStart = self.storage.writerIndex
        let nameLength = self.storage.writeString(name)
        let valueStart = self.storage.writerIndex
        let valueLength = self.storage.writeString(value)
        self.slots.append(
            Slot(nameStart: nameStart, nameLength: nameLength, valueStart: valueStart, valueLength: valueLength))
    }

    /// Adds a field at the end, with the octets of `value`.
    public mutating func append(name: String, octets value: some Sequence<UInt8>) {
        let nameStart = self.storage.writerIndex
        let nameLength = self.storage.writeString(name)
        let valueStart = self.storage.writerIndex
        let valueLength = self.storage.writeBytes(value)
        self.slots.append(
            Slot(nameStart: nameStart, nameLength: nameLength, valueStart: valueStart, valueLength: valueLength))
    }

    /// Puts another value in place of the one at `index`; name and position stay.
    public mutating func setValue(at index: Int, _ value: String) {
        let start = self.storage.writerIndex
        let length = self.storage.writeString(value)
        self.slots[index].valueStart = start
        self.slots[index].valueLength = length
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
        self.storage.withUnsafeReadableBytesAndBase { base in
            for slot in self.slots {
                buffer.writeBytes(
                    UnsafeRawBufferPointer(rebasing: base[slot.nameStart..<slot.nameStart + slot.nameLength]))
                buffer.writeStaticString(": ")
                buffer.writeBytes(
                    UnsafeRawBufferPointer(rebasing: base[slot.valueStart..<slot.valueStart + slot.valueLength]))
                buffer.writeStaticString("\r\n")
            }
        }
    }

    private func withOctets<Result>(
        _ start: Int, _ length: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try self.storage.withUnsafeReadableBytesAndBase { base in
            try body(UnsafeRawBufferPointer(rebasing: base[start..<start + length]))
        }
    }

    private func text(_ start: Int, _ length: Int) -> String {
        self.withOctets(start, length) { decodeText($0) }
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

extension ByteBuffer {
    /// The readable and already read octets with index 0 at the buffer's own index 0.
    fileprivate func withUnsafeReadableBytesAndBase<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try self.withVeryUnsafeBytes { try body($0) }
    }
}
