public import NIOCore
import PlayheadContent

/// How overrides come into a body that is on its way.
public enum OverridePassage: Sendable, Hashable {
    /// It has to be complete first.
    case whole
    /// Each line is complete in itself: event streams, JSON lines.
    case lines

    /// The passage of a body of this type; nil when it is no JSON.
    public init?(contentType: String?) {
        guard let text = contentType, let type = MediaType.parse(text) else {
            self = .whole
            return
        }
        if EventStream.isEvents(type) || EventStream.isJSONLines(type) {
            self = .lines
        } else if type.isJSON || type.type == "text" && type.subtype == "plain" {
            self = .whole
        } else {
            return nil
        }
    }
}

extension JSONOverrides {
    /// A body, without content coding, with the values in it; nil when none is in it.
    public func changed(_ body: ByteBuffer) -> ByteBuffer? {
        let text = Octets(body.readableBytesView)
        let edits = self.edits(in: text)
        return edits.isEmpty ? nil : ByteBuffer(bytes: TextEdit.apply(edits, to: text))
    }
}

/// The lines of a stream with overrides in them; the end of a line that is not complete is held back.
public struct OverriddenLines: Sendable {
    /// The bound of a line that is changed, in octets; a longer one goes on as it came.
    static let limit = 1 << 20

    private let overrides: JSONOverrides
    private var held = ByteBuffer()
    private var isInLongLine = false

    /// Creates the passage of one stream.
    public init(_ overrides: JSONOverrides) { self.overrides = overrides }

    /// Takes what came; gives what can go on.
    public mutating func take(_ octets: ByteBuffer) -> ByteBuffer {
        var octets = octets
        var ready = ByteBuffer()
        if self.isInLongLine {
            guard let end = octets.readableBytesView.firstIndex(of: 0x0A) else { return octets }
            self.isInLongLine = false
            ready = octets.readSlice(length: end + 1 - octets.readerIndex) ?? ByteBuffer()
        }
        self.held.writeBuffer(&octets)
        if let last = self.held.readableBytesView.lastIndex(of: 0x0A),
            let lines = self.held.readSlice(length: last + 1 - self.held.readerIndex)
        {
            ready.writeImmutableBuffer(self.overrides.changed(lines) ?? lines)
            self.held.discardReadBytes()
        }
        if self.held.readableBytes > Self.limit {
            self.isInLongLine = true
            ready.writeBuffer(&self.held)
            self.held.clear()
        }
        return ready
    }

    /// What was held back when the stream ends.
    public mutating func end() -> ByteBuffer {
        defer { self.held.clear() }
        return self.overrides.changed(self.held) ?? self.held
    }

    /// What was held back when the stream breaks off.
    public var rest: ByteBuffer { self.held }
}
