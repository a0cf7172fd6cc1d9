import NIOCore
import PlayheadContent

/// A body read by its type: JSON by values, a form by names and values, multipart part by part; all else as octets.
///
/// What claims to be JSON but is not is compared as octets, so equal bodies stay equal whatever they are.
indirect enum BodyValue: Sendable {
    /// There is no body, or an empty one.
    case none
    /// A JSON value.
    case json(JSONValue)
    /// The fields of a form.
    case form(FieldPairs)
    /// The parts of a multipart body, by name or, without one, by place.
    case multipart([(name: String, body: BodyValue)])
    /// Text or binary data.
    case octets(Octets)
    /// Only a digest is known.
    case hashed(sha256: String, length: Int)

    /// Reads octets without content coding.
    ///
    /// - Parameter depth: how deeply multipart bodies may nest; deeper ones are octets.
    init(_ octets: ByteBuffer, contentType: String?, depth: Int = 4) {
        guard octets.readableBytes > 0 else {
            self = .none
            return
        }
        let type = contentType.flatMap { MediaType.parse($0) }
        if let type, type.isForm {
            self = .form(FieldPairs(octets.readableBytesView))
        } else if let boundary = type?.multipartBoundary, depth > 0,
            let multipart = try? MultipartBody(octets, boundary: boundary)
        {
            self = .multipart(
                multipart.parts.enumerated().map { place, part in
                    let type = part.headers.first { asciiLowercased($0.name) == "content-type" }?.value
                    return (
                        part.name ?? "#\(place + 1)", BodyValue(part.bytes, contentType: type, depth: depth - 1)
                    )
                })
        } else if type?.isJSON ?? BodyValue.looksLikeJSON(octets), let value = try? JSONValue.parse(octets) {
            self = .json(value)
        } else {
            self = .octets(Octets(octets.readableBytesView))
        }
    }

    /// Whether a body without a type is worth reading as JSON.
    private static func looksLikeJSON(_ octets: ByteBuffer) -> Bool {
        let first = octets.readableBytesView.first { $0 > 0x20 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
