import NIOCore

extension RecordedBody {
    /// Bodies over this many octets go to side files.
    public static let inlineLimit = 64 * 1024

    /// The body with its octets in a side file if they are many.
    public func moved(to sideFile: () throws -> SideFileWriter) throws -> RecordedBody {
        guard case .octets(let octets) = self.content, octets.readableBytes > Self.inlineLimit else { return self }
        let writer = try sideFile()
        try writer.write(octets)
        var moved = self
        moved.content = .file(try writer.finish())
        return moved
    }
}
