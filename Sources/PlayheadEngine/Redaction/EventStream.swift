import PlayheadContent

/// The payloads of an event stream, or the lines of JSON lines: where each lies, and to which event it belongs.
struct EventStream {
    /// One `data:` line, or one line of JSON lines.
    struct Payload {
        /// Its octets in the text, without `data: ` and the line's end.
        var range: Range<Int>
        /// The number of its event.
        var event: Int
    }

    /// The payloads in order; empty ones are left out.
    let payloads: [Payload]

    /// Reads a stream (HTML Living Standard section 9.2.6); nil if the text is none.
    init?(_ text: Octets, type: MediaType?) {
        let isLines = Self.isJSONLines(type)
        guard Self.isStream(text, type: type) else { return nil }
        var payloads: [Payload] = []
        var event = 0
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? text.count
            if end == start {
                event += 1
            } else if isLines {
                payloads.append(Payload(range: start..<end, event: event))
                event += 1
            } else if text[start..<end].starts(with: "data:".utf8) {
                var first = start + 5
                if first < end, text[first] == 0x20 { first += 1 }
                if first < end { payloads.append(Payload(range: first..<end, event: event)) }
            }
            let isPair = end + 1 < text.count && text[end] == 0x0D && text[end + 1] == 0x0A
            start = end + (isPair ? 2 : 1)
        }
        self.payloads = payloads
    }

    /// Whether a text is to be read event by event.
    static func isStream(_ text: Octets, type: MediaType?) -> Bool {
        self.isJSONLines(type) || self.isEvents(type) || self.looksLikeEvents(text)
    }

    /// Servers send streams under other types, too.
    private static func looksLikeEvents(_ text: Octets) -> Bool {
        ["data:", "event:", "id:", "retry:", ":"].contains { text.starts(with: $0.utf8) }
            && firstIndex(of: Octets("data:".utf8), in: text) != nil
    }

    static func isEvents(_ type: MediaType?) -> Bool { type?.type == "text" && type?.subtype == "event-stream" }

    static func isJSONLines(_ type: MediaType?) -> Bool {
        guard let type, type.type == "application" else { return false }
        return ["x-ndjson", "ndjson", "jsonl", "x-jsonlines", "x-jsonl", "stream+json"].contains(type.subtype)
    }
}
