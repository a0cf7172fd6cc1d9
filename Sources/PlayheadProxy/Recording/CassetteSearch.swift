import NIOCore
package import PlayheadCassette
import PlayheadContent
package import PlayheadEngine
import PlayheadHTTP

/// Looks for secrets in the exchanges of a stored cassette, and takes them out, in bounded memory.
///
/// Side files over the recorder's bound are searched as the recorder does it: piece by piece.
package struct CassetteSearch {
    let location: CassetteLocation
    let redactor: Redactor
    /// Another bound than the recorder's.
    var wholeLimit: Int?

    /// Prepares a search.
    package init(_ location: CassetteLocation, redactor: Redactor) {
        self.location = location
        self.redactor = redactor
    }

    // MARK: finding

    /// What the rules find in an exchange.
    ///
    /// - Parameter note: is told what could not be searched, in a sentence.
    package func findings(in exchange: Exchange, note: (String) -> Void) throws -> [SecretFinding] {
        let limit = self.limit(FilterChain())
        var found = self.redactor.findings(in: try self.inlined(exchange, limit))
        for large in self.large(exchange, over: limit) { found += try self.findings(in: large, note) }
        return found
    }

    private func findings(in large: Large, _ note: (String) -> Void) throws -> [SecretFinding] {
        let codings = large.codings
        guard !codings.isEmpty else { return try self.scanned(large, note) { try self.forEachPiece(large, $0) } }
        let decoder = try StreamDecoder(codings, limit: LargeBody.bound(large.reference.length))
        var problem: ContentError?
        let found = try self.scanned(large, note) { body in
            do {
                try self.forEachPiece(large) { try decoder.take($0, body) }
                try decoder.finish()
            } catch let error as ContentError {
                problem = error
            }
        }
        guard let problem else { return found }
        guard problem.code != .tooLarge else {
            note("The \(large.place) is not searched to its end: \(problem.message).")
            return found
        }
        // Octets that do not decode may be text under a wrong name.
        return try found + self.scanned(large, note) { try self.forEachPiece(large, $0) }
    }

    private func scanned(
        _ large: Large, _ note: (String) -> Void, _ pieces: ((ByteBuffer) throws -> Void) throws -> Void
    ) throws -> [SecretFinding] {
        var scan = try LargeBodyScan(redactor: self.redactor, headers: large.headers, place: large.place)
        try pieces { scan.take($0) }
        let (found, isCut) = scan.finish()
        if isCut { note("The rest of the \(large.place) cannot be searched.") }
        return found
    }

    // MARK: changing

    /// An exchange without secrets, as it has to be stored instead; nil if it stays as it is.
    ///
    /// - Parameters:
    ///   - filters: what is changed first.
    ///   - ledger: the numbers of the cassette's secrets.
    ///   - writes: whether side files are written; without them the result says no more than that it would change.
    ///   - note: is told what is left out for that, in a sentence.
    package func redacted(
        _ exchange: Exchange, filters: FilterChain, ledger: SharedLedger, writes: Bool, note: (String) -> Void
    ) throws -> Exchange? {
        let limit = self.limit(filters)
        let whole = try self.inlined(exchange, limit)
        var result = self.redactor.redact(filters.filtered(whole), sharing: ledger)
        var isChanged = result != whole
        for large in self.large(exchange, over: limit) {
            let body = LargeBody(
                treatment: LargeBody.Treatment(
                    redactor: self.redactor, filters: filters, ledger: ledger,
                    sideFile: { writes ? try self.sideFile($0) : nil }),
                headers: large.headers, isRequest: large.isRequest, codings: large.codings,
                count: large.reference.length
            ) { try self.forEachPiece(large, $0) }
            do {
                guard let stored = try body.changed(large.chunks) else { continue }
                if let loss = stored.loss { note("The \(large.place) is left out, or not whole: \(loss).") }
                result = Self.replacing(large, in: result, with: stored)
                isChanged = true
            } catch let error as ContentError {
                note("The \(large.place) is not searched and stays as it is: \(error.message).")
            }
        }
        guard isChanged else { return nil }
        return writes
            ? try result.mappingBodies { body, headers in try body.moved { try self.sideFile(headers) } } : result
    }

    private static func replacing(_ large: Large, in exchange: Exchange, with stored: LargeBody.Stored) -> Exchange {
        var body = stored.body
        body.isTruncated = body.isTruncated || large.body.isTruncated
        // What was stored without its coding still is.
        if body.coding.isEmpty { body.coding = large.body.coding }
        var result = exchange
        guard !large.isRequest else {
            result.request.body = body
            return result
        }
        func changed(_ response: RecordedResponse) -> RecordedResponse {
            var response = response
            response.body = body
            response.chunks = stored.chunks
            return response
        }
        switch exchange.outcome {
        case .response(let response): result.outcome = .response(changed(response))
        case .failure(var failure):
            failure.partial = failure.partial.map(changed)
            result.outcome = .failure(failure)
        case .webSocket: break
        }
        return result
    }

    private func sideFile(_ headers: HeaderList) throws -> SideFileWriter {
        let type = headers.first("content-type").flatMap { MediaType.parse($0) }
        return try SideFileWriter(self.location, mediaType: type, unique: "\(CassetteLock.currentProcess())")
    }

    // MARK: bodies

    /// A body that is searched piece by piece.
    private struct Large {
        var body: RecordedBody
        var reference: SideFileReference
        var headers: HeaderList
        var isRequest: Bool
        var chunks: [RecordedResponse.Chunk]

        var place: String { self.isRequest ? "request body" : "response body" }

        /// What still has to be taken off.
        var codings: [ContentCoding] {
            guard self.body.coding.isEmpty else { return [] }
            let field = self.headers.members(of: "content-encoding").joined(separator: ",")
            return field.isEmpty ? [] : ContentCoding.list(fromHeader: field) ?? []
        }
    }

    private func limit(_ filters: FilterChain) -> Int {
        self.wholeLimit
            ?? max(
                BodyCapture.wholeLimit(filters, isRequest: true), BodyCapture.wholeLimit(filters, isRequest: false))
    }

    /// The exchange with the octets of its side files, but of those that are too large.
    private func inlined(_ exchange: Exchange, _ limit: Int) throws -> Exchange {
        // A message of a WebSocket is never too large to be recorded.
        if case .webSocket = exchange.outcome {
            return try exchange.mappingBodies { body, _ in try self.inlined(body, .max) }
        }
        return try exchange.mappingBodies { body, _ in try self.inlined(body, limit) }
    }

    private func inlined(_ body: RecordedBody, _ limit: Int) throws -> RecordedBody {
        guard case .file(let reference) = body.content, reference.length <= limit else { return body }
        var body = body
        body.content = .octets(try body.octets(at: self.location))
        return body
    }

    private func large(_ exchange: Exchange, over limit: Int) -> [Large] {
        func large(
            _ body: RecordedBody, _ headers: HeaderList, isRequest: Bool, _ chunks: [RecordedResponse.Chunk] = []
        ) -> [Large] {
            guard case .file(let reference) = body.content, reference.length > limit else { return [] }
            return [
                Large(body: body, reference: reference, headers: headers, isRequest: isRequest, chunks: chunks)
            ]
        }
        let response: RecordedResponse?
        switch exchange.outcome {
        case .response(let complete): response = complete
        case .failure(let failure): response = failure.partial
        case .webSocket: return []
        }
        return large(exchange.request.body, exchange.request.headers, isRequest: true)
            + (response.map { large($0.body, $0.headers, isRequest: false, $0.chunks) } ?? [])
    }

    private func forEachPiece(_ large: Large, _ body: (ByteBuffer) throws -> Void) throws {
        let reader = try SideFileReader(self.location, large.reference)
        while let piece = try reader.read() { try body(piece) }
    }
}
