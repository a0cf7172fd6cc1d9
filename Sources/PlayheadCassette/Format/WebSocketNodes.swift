import NIOCore
import PlayheadHTTP

extension CassetteNodes {
    /// A WebSocket: the head that opened it, then one entry per message and control frame.
    static func webSocket(_ socket: RecordedWebSocket) -> CassetteNode {
        var pairs: [(String, CassetteNode)] = []
        if !socket.response.reason.isEmpty { pairs.append(("reason", .text(socket.response.reason))) }
        pairs.append(("http", .text(socket.response.version.description)))
        if !socket.response.headers.isEmpty { pairs.append(("headers", self.headers(socket.response.headers))) }
        if !socket.frames.isEmpty {
            pairs.append(("frames", .list(socket.frames.map { self.frame($0) }, isInline: false)))
        }
        if socket.ending != .closed { pairs.append(("ending", .text(socket.ending.rawValue))) }
        return .dictionary(pairs, isInline: false)
    }

    private static func frame(_ frame: RecordedWebSocket.Frame) -> CassetteNode {
        var pairs: [(String, CassetteNode)] = [
            ("from", .text(frame.sender.rawValue)), ("ms", .integer(frame.at)),
            ("opcode", .text(frame.opcode.rawValue)),
        ]
        if let code = frame.closeCode { pairs.append(("code", .integer(code))) }
        if case .dictionary(let body, _)? = self.body(frame.payload) { pairs += body }
        if !frame.fragments.isEmpty {
            pairs.append(("fragments", .list(frame.fragments.map { .integer($0) }, isInline: true)))
        }
        return .dictionary(pairs, isInline: false)
    }
}

extension CassetteDecoder {
    private static let socketKeys = ["reason", "http", "headers", "frames", "ending"]
    private static let frameKeys = [
        "from", "ms", "opcode", "code", "text", "base64", "file", "length", "sha256", "truncated", "fragments",
    ]

    func webSocket(_ node: YAMLNode) throws(CassetteError) -> RecordedWebSocket {
        let fields = try MappingReader(node, "a websocket", keys: Self.socketKeys, fileName: self.fileName)
        let reason = try fields.text("reason") ?? ""
        guard WireValue.isFieldValue(reason) else {
            throw self.error("'reason' must not have a line end or a NUL", fields.raw("reason") ?? node)
        }
        var socket = RecordedWebSocket(
            response: RecordedResponse(
                status: 101, reason: reason, version: try self.httpVersion(fields),
                headers: try self.headers(fields, "headers")))
        if let ending = fields["ending"] { socket.ending = try self.word(ending, "ending") }
        for item in try fields.sequence("frames") ?? [] { socket.frames.append(try self.frame(item)) }
        return socket
    }

    private func frame(_ node: YAMLNode) throws(CassetteError) -> RecordedWebSocket.Frame {
        let fields = try MappingReader(node, "a frame", keys: Self.frameKeys, fileName: self.fileName)
        let opcode: RecordedWebSocket.Opcode = try self.word(fields.required("opcode"), "opcode")
        var frame = RecordedWebSocket.Frame(
            try self.word(fields.required("from"), "from"), at: try fields.integer("ms", in: 0...Int.max) ?? 0, opcode,
            payload: try self.body(fields, node))
        if let code = try fields.integer("code", in: 0...Int.max) {
            guard opcode == .close, WebSocketClose.isValid(code) else {
                throw self.error("'code' must be a code of a close frame, such as 1000", fields.raw("code") ?? node)
            }
            frame.closeCode = code
        }
        for length in try fields.sequence("fragments") ?? [] {
            guard let value = length.integer, value >= 0 else {
                throw self.error("'fragments' must be a list of lengths in octets", length)
            }
            frame.fragments.append(value)
        }
        try self.check(frame, node)
        return frame
    }

    /// What could not go over a wire must not come out of a file (RFC 6455 sections 5.5, 5.6 and 7.1.5).
    private func check(_ frame: RecordedWebSocket.Frame, _ node: YAMLNode) throws(CassetteError) {
        if case .octets(let octets) = frame.payload.content, frame.opcode == .text || frame.opcode == .close,
            String(validating: octets.readableBytesView, as: UTF8.self) == nil
        {
            throw self.error("the payload of a \(frame.opcode.rawValue) frame must be UTF-8", node)
        }
        guard !frame.opcode.isMessage else { return }
        let limit = frame.opcode == .close ? WebSocketClose.reasonLimit : 125
        guard frame.payload.count <= limit, frame.closeCode != nil || frame.opcode != .close || frame.payload.count == 0
        else {
            throw self.error("a \(frame.opcode.rawValue) frame holds at most \(limit) octets, behind its code", node)
        }
    }

    private func word<Word: RawRepresentable & CaseIterable>(
        _ node: YAMLNode, _ key: String
    ) throws(CassetteError) -> Word where Word.RawValue == String {
        if let word = node.text.flatMap(Word.init(rawValue:)) { return word }
        throw self.error("'\(key)' must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))", node)
    }
}
