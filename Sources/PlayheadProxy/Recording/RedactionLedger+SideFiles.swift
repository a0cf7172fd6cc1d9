import NIOCore
package import PlayheadCassette
package import PlayheadEngine

extension RedactionLedger {
    /// Longer than any placeholder, so that none is missed where two pieces meet.
    private static let overlap = 256

    /// Creates a ledger that continues a cassette; side files are read for the numbers they hold.
    ///
    /// One that cannot be read is passed over: whoever needs it tells.
    package init(continuing exchanges: [Exchange], at location: CassetteLocation) {
        self.init(continuing: exchanges)
        var seen: Set<String> = []
        for body in exchanges.lazy.flatMap(\.bodies) {
            guard case .file(let reference) = body.content, seen.insert(reference.name).inserted,
                let reader = try? SideFileReader(location, reference)
            else { continue }
            var text = ByteBuffer()
            while let piece = try? reader.read() {
                text.writeImmutableBuffer(piece)
                self.goOn(behind: text)
                text.moveReaderIndex(to: max(text.readerIndex, text.writerIndex - Self.overlap))
                text.discardReadBytes()
            }
        }
    }
}
