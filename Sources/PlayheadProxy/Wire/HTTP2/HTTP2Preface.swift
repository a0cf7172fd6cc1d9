import NIOCore

/// The octets that every HTTP/2 connection of a client begins with (RFC 9113 section 3.4).
enum HTTP2Preface {
    static let octets = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    enum Match { case whole, partial, none }

    /// How far what a client sent first is the preface.
    static func match(_ opening: ByteBuffer) -> Match {
        let view = opening.readableBytesView.prefix(Self.octets.count)
        guard view.elementsEqual(Self.octets.prefix(view.count)) else { return .none }
        return view.count == Self.octets.count ? .whole : .partial
    }
}
