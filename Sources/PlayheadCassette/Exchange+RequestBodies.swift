extension [Exchange] {
    /// The exchanges with those request bodies in memory that side files hold, so that they are compared by value.
    ///
    /// Beyond the bounds, and where a side file cannot be read, a body stays what it is and is compared by its digest.
    ///
    /// - Parameters:
    ///   - each: how many octets a body may have.
    ///   - total: how many all of them may have.
    public func withRequestBodies(
        at location: CassetteLocation, each: Int = 16 << 20, total: Int = 128 << 20
    ) -> [Exchange] {
        var result = self
        var left = total
        for index in self.indices {
            guard case .file(let reference) = self[index].request.body.content,
                reference.length <= Swift.min(each, left),
                let octets = try? self[index].request.body.octets(at: location)
            else { continue }
            result[index].request.body.content = .octets(octets)
            left -= reference.length
        }
        return result
    }
}
