import NIOCore
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP

/// A live response that is held back until overrides can be put into its body.
struct HeldResponse: Sendable {
    /// Fields that a body with other values makes wrong.
    private static let digests = ["content-digest", "repr-digest", "digest", "content-md5"]

    var head: ResponseHead
    var framing: BodyFraming
    /// The body as it was sent.
    var octets = ByteBuffer()
    /// How the overrides come into it.
    let passage: OverridePassage
    private let isStream: Bool
    private let codings: [ContentCoding]

    /// Takes a response head; nil if nothing can be changed in its body.
    init?(_ head: ResponseHead, _ framing: BodyFraming, method: String) {
        guard method != "HEAD", framing != .none, head.status >= 200, ![204, 206, 304].contains(head.status),
            var passage = OverridePassage(contentType: head.headers.first("content-type"))
        else { return nil }
        let coding = head.headers.members(of: "content-encoding").joined(separator: ",")
        guard let codings = coding.isEmpty ? [] : ContentCoding.list(fromHeader: coding) else { return nil }
        let isStream = passage == .lines
        if case .length(let length) = framing {
            guard length > 0 else { return nil }
            // Its length has to be computed anew.
            passage = .whole
        } else if passage == .lines, !codings.isEmpty {
            // A stream that is coded shows its lines only in pieces of the coder's choice.
            return nil
        }
        self.head = head
        self.framing = framing
        self.isStream = isStream
        self.passage = passage
        self.codings = codings
    }

    /// Whether what came so far can be JSON, or lines with JSON.
    var canBeJSON: Bool {
        guard self.codings.isEmpty, !self.isStream,
            let first = self.octets.readableBytesView.first(where: { $0 > 0x20 })
        else { return true }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// The response with the values in its body; the same if none is in it, or it does not decode.
    func changed(_ overrides: JSONOverrides) -> HeldResponse {
        guard let plain = try? ContentDecoder.decode(self.octets, codings: self.codings),
            let changed = overrides.changed(plain),
            let coded = try? ContentEncoder.encode(changed, codings: self.codings)
        else { return self }
        var result = self
        result.octets = coded
        for name in Self.digests { result.head.headers.remove(name) }
        if case .length = self.framing {
            result.head.headers.set("Content-Length", "\(coded.readableBytes)")
            result.framing = .length(coded.readableBytes)
        }
        return result
    }
}
