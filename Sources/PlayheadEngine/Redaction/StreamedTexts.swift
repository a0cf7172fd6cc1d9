import NIOCore
import PlayheadContent

/// The texts that come in pieces over the events of a stream, put together: the deltas of a language model, for example.
///
/// Pieces belong together when they stand at one place of their events' JSON, and the objects on the way there have the
/// same `index`, `…_index` and `item_id`. Events that are no JSON are pieces of one text.
struct StreamedTexts {
    /// A part of a text.
    struct Piece {
        /// The position of its payload in the stream.
        var payload: Int
        /// The position of its string among the values of the payload's JSON; nil for a payload that is no JSON.
        var span: Int?
        /// Where it lies in the joined text.
        var range: Range<Int>
    }

    /// One text.
    struct Joined {
        var octets = Octets()
        var pieces: [Piece] = []
        /// Whether all pieces are equal, as with a name that each event repeats.
        var isConstant = true
        fileprivate var first: Octets?
        fileprivate var lastEvent = -1
    }

    /// Whether each payload is JSON.
    let isJSON: [Bool]
    /// The texts that came in several pieces.
    let texts: [Joined]

    init(_ stream: EventStream, _ text: Octets) {
        var order: [Int] = []
        var joined: [Int: Joined] = [:]
        func add(_ content: Octets, _ key: Int, payload: Int, span: Int?, newLine: Bool) {
            if joined[key] == nil { order.append(key) }
            joined[key, default: Joined()].add(content, payload: payload, span: span, newLine: newLine)
        }
        var isJSON: [Bool] = []
        for (position, payload) in stream.payloads.enumerated() {
            let octets = Octets(text[payload.range])
            let isObject = octets.first == UInt8(ascii: "{") || octets.first == UInt8(ascii: "[")
            let spans = isObject ? try? JSONSpans(ByteBuffer(bytes: octets)) : nil
            isJSON.append(spans != nil)
            guard let spans else {
                // The lines of one event are joined by line feeds, those of several by nothing.
                let isSameEvent = joined[0]?.lastEvent == payload.event
                add(octets, 0, payload: position, span: nil, newLine: isSameEvent)
                joined[0]?.lastEvent = payload.event
                continue
            }
            for (index, key) in Self.keys(of: spans) {
                guard let content = spans.string(at: index), !content.isEmpty else { continue }
                add(Octets(content.utf8), key, payload: position, span: index, newLine: false)
            }
        }
        self.isJSON = isJSON
        self.texts = order.compactMap { joined[$0] }.filter { $0.pieces.count > 1 && !$0.isConstant }
    }

    /// The strings of a JSON text with the places at which their pieces meet, as hashes: paths can be long.
    private static func keys(of json: JSONSpans) -> [(index: Int, key: Int)] {
        var marks: [Int: Int] = [:]
        for (index, span) in json.spans.enumerated() {
            guard let key = span.key, let parent = span.parent, Self.tellsApart(key) else { continue }
            marks[parent] = Self.hash(marks[parent] ?? 0, key, json.source(at: index))
        }
        var places: [Int] = []
        var keys: [(index: Int, key: Int)] = []
        for (index, span) in json.spans.enumerated() {
            var place = 1
            if let parent = span.parent { place = Self.hash(places[parent], span.key, span.position) }
            if let mark = marks[index] { place = Self.hash(place, mark, 0) }
            places.append(place)
            if span.kind == .string { keys.append((index, place)) }
        }
        return keys
    }

    private static func hash(_ place: Int, _ name: some Hashable, _ value: some Hashable) -> Int {
        var hasher = Hasher()
        hasher.combine(place)
        hasher.combine(name)
        hasher.combine(value)
        return hasher.finalize()
    }

    private static func tellsApart(_ key: String) -> Bool {
        key == "index" || key.hasSuffix("_index") || key == "item_id"
    }
}

extension StreamedTexts.Joined {
    fileprivate mutating func add(_ content: Octets, payload: Int, span: Int?, newLine: Bool) {
        if newLine { self.octets.append(0x0A) }
        let start = self.octets.count
        self.octets += content
        self.pieces.append(StreamedTexts.Piece(payload: payload, span: span, range: start..<self.octets.count))
        if let first = self.first {
            self.isConstant = self.isConstant && first == content
        } else {
            self.first = content
        }
    }
}
