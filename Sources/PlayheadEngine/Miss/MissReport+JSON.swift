extension MissReport {
    /// The body of the response to a miss: `application/problem+json` (RFC 9457).
    ///
    /// - Parameter status: the status the response is sent with.
    public func problemJSON(status: Int = 501) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", "about:blank")
            writer.member("title", "No recording answers this request")
            writer.member("status", status)
            writer.member("detail", self.text())
            self.writeMembers(to: &writer)
        }
        return writer.octets
    }

    /// Writes the members that the response and the reports share.
    func writeMembers(to writer: inout JSONWriter) { RunReport.Miss(self).writeMembers(to: &writer) }
}
