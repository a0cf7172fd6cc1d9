import NIOCore
import PlayheadContent

/// Searches a multipart body part by part, each by its own type.
struct MultipartStage: StreamStage {
    private enum Phase {
        /// Before the first boundary, and after the last one.
        case outside(TextStage)
        case headers
        case part(BodyStage)
        /// A field whose name says that it is secret.
        case secret(SecretNames.Finding)
        case dropping
    }

    /// A boundary line: where the octets before it end and those after it begin.
    private struct Mark {
        var before: Int
        var after: Int
        var isLast: Bool
    }

    /// More header fields than any form has.
    private static let headLimit = 64 << 10

    private let redactor: Redactor
    private let boundary: String
    private let delimiter: Octets
    private let bounds: StreamBounds
    private let depth: Int
    private var phase: Phase
    /// The last octet that is settled: a boundary begins a line.
    private var previous: UInt8 = 0x0A

    init(_ redactor: Redactor, boundary: String, bounds: StreamBounds, depth: Int) {
        self.redactor = redactor
        self.boundary = boundary
        self.delimiter = Octets("--\(boundary)".utf8)
        self.bounds = bounds
        self.depth = depth
        self.phase = .outside(TextStage(redactor.text, bounds: bounds))
    }

    mutating func settle(_ pending: Octets, isLast: Bool, _ substitution: inout SecretSubstitution) -> Settled {
        let settled: Settled
        if case .headers = self.phase {
            settled = self.headers(pending, isLast, &substitution)
        } else {
            settled = self.content(pending, isLast, &substitution)
        }
        if settled.count > 0 { self.previous = pending[settled.count - 1] }
        return settled
    }

    /// Reads the header fields of a part, and searches them: they hold names of files.
    private mutating func headers(
        _ pending: Octets, _ isLast: Bool, _ substitution: inout SecretSubstitution
    ) -> Settled {
        var end = 0
        while true {
            guard let line = pending[end...].firstIndex(of: 0x0A) else {
                guard isLast || pending.count > Self.headLimit else { return .nothing }
                // No end of the fields: all of it is content.
                self.phase = .part(self.stage(for: nil))
                return Settled(count: min(1, pending.count))
            }
            let isEmpty = line == end || line == end + 1 && pending[end] == 0x0D
            end = line + 1
            if isEmpty { break }
        }
        let sample = self.delimiter + [0x0A] + pending[..<end] + [0x0A] + self.delimiter + Octets("--".utf8)
        let part = try? MultipartBody(ByteBuffer(bytes: sample), boundary: self.boundary).parts.first
        if let name = part?.name, part?.filename == nil,
            let finding = self.redactor.names.formField(Octets(name.utf8))
        {
            self.phase = .secret(finding)
        } else {
            let type = part?.headers.first { asciiLowercased($0.name) == "content-type" }?.value
            self.phase = .part(self.stage(for: type))
        }
        let edits = self.redactor.text.edits(in: Octets(pending[..<end]), .all, &substitution)
        return Settled(count: end, edits: edits)
    }

    private func stage(for type: String?) -> BodyStage {
        BodyStage(self.redactor, type: type.flatMap { MediaType.parse($0) }, bounds: self.bounds, depth: self.depth - 1)
    }

    private mutating func content(
        _ pending: Octets, _ isLast: Bool, _ substitution: inout SecretSubstitution
    ) -> Settled {
        let mark = self.mark(in: pending, isLast)
        // A boundary that has begun, with the end of the line before it, is not content.
        let end = mark?.before ?? (isLast ? pending.count : max(0, pending.count - self.delimiter.count - 128))
        let isWhole = mark != nil || isLast
        var settled = Settled.nothing
        let content = Octets(pending[..<end])
        switch self.phase {
        case .outside(var stage):
            if end > 0 { settled = stage.settle(content, isLast: isWhole, &substitution) }
            self.phase = .outside(stage)
        case .part(var stage):
            if end > 0 { settled = stage.settle(content, isLast: isWhole, &substitution) }
            self.phase = .part(stage)
        case .dropping: settled = .dropped(end)
        case .secret(let finding):
            guard isWhole || end > self.bounds.window else { return .nothing }
            settled.count = end
            if end >= finding.minimumLength, !Placeholder.occurs(in: content), !Placeholder.isWhole(content) {
                let text = substitution.text(for: content, rule: finding.rule)
                settled.edits = [TextEdit(range: 0..<end, replacement: text)]
                self.phase = .dropping
            }
        case .headers: break
        }
        if let mark, settled.count >= end {
            settled.count = mark.after
            self.phase = mark.isLast ? .outside(TextStage(self.redactor.text, bounds: self.bounds)) : .headers
        }
        return settled
    }

    private func mark(in text: Octets, _ isLast: Bool) -> Mark? {
        var lineStart = self.previous == 0x0A ? 0 : (text.firstIndex(of: 0x0A) ?? text.count) + 1
        while lineStart < text.count {
            let lineEnd = text[lineStart...].firstIndex(of: 0x0A) ?? text.count
            if lineEnd == text.count, !isLast { return nil }
            if text[lineStart..<lineEnd].starts(with: self.delimiter) {
                var rest = text[(lineStart + self.delimiter.count)..<lineEnd]
                let isFinal = rest.starts(with: [0x2D, 0x2D])
                if isFinal { rest = rest.dropFirst(2) }
                if rest.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
                    var before = max(0, lineStart - 1)
                    if before > 0, text[before - 1] == 0x0D { before -= 1 }
                    return Mark(before: before, after: min(text.count, lineEnd + 1), isLast: isFinal)
                }
            }
            lineStart = lineEnd + 1
        }
        return nil
    }
}
