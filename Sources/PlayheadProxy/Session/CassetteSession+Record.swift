import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension CassetteSession {
    /// Bodies over this many octets go to side files.
    private static let inlineLimit = 64 * 1024

    /// Filters and redacts an exchange, moves big bodies to side files, and appends it to the journal.
    ///
    /// Trouble with the disk never harms the client: it is remembered and reported at close. Only redaction, which
    /// numbers secrets in order, and the append hold the session's lock; filters and files do not.
    ///
    /// - Parameters:
    ///   - request: the request as it came, to find the old exchanges that this one replaces.
    ///   - loss: what could not be kept of the bodies, in a sentence.
    func record(_ exchange: Exchange, request: IncomingRequest, loss: String? = nil) {
        do {
            var stored = self.redacted(self.options.filters.filtered(exchange))
            if let hook = self.options.filters.beforeRecord {
                guard let kept = hook(stored) else { return }
                stored.request = kept.request
                stored.outcome = kept.outcome
            }
            let unique = "\(getpid()) \(stored.id)"
            stored = try stored.mappingBodies { try self.moved($0, $1, unique) }
            try self.append(stored, request: self.options.filters.filtered(request), loss: loss)
        } catch {
            self.state.withLock { $0.summary.recordingFailure = "\(error)" }
        }
    }

    /// Copies a spill file into a side file.
    func store(_ spill: SpillFile, headers: HeaderList) throws -> SideFileReference {
        let type = headers.first("content-type").flatMap { MediaType.parse($0) }
        let writer = try SideFileWriter(self.location, mediaType: type, unique: "\(getpid()) \(spill.number)")
        try spill.forEachPiece { try writer.write($0) }
        return try writer.finish()
    }

    /// The exchange without secrets and with its id; ids are given in the order in which exchanges end.
    private func redacted(_ exchange: Exchange) -> Exchange {
        self.state.withLock { state in
            var stored = self.options.redactor.redact(exchange, ledger: &state.ledger)
            stored.id = "\(state.nextID)"
            state.nextID += 1
            return stored
        }
    }

    private func append(_ stored: Exchange, request: IncomingRequest, loss: String?) throws {
        try self.state.withLock { state in
            guard !state.isClosed else {
                throw CassetteError(
                    .cannotWrite, "\(stored.request.method) ended after the cassette was saved",
                    file: self.location.file)
            }
            let journal = try state.journal ?? CassetteJournal.open(self.location)
            state.journal = journal
            try journal.append(stored)
            state.summary.recorded += 1
            self.observe(.recorded(stored))
            if case .failure(let failure) = stored.outcome, failure.kind.isFault { state.summary.failed += 1 }
            state.merge.noteRecorded(request)
            if self.options.reportsExchanges, state.summary.exchanges.count < ExchangeLine.limit {
                state.summary.note(self.line(stored, .recorded))
            }
            self.note(loss, of: stored, in: &state.summary)
        }
    }

    /// The line of a report about an exchange.
    func line(_ exchange: Exchange, _ outcome: ExchangeLine.Outcome, plays: Int = 0) -> ExchangeLine {
        ExchangeLine(
            id: exchange.id, method: exchange.request.method,
            url: self.options.redactor.logURL(exchange.request.url), outcome: outcome, plays: plays)
    }

    /// Says what is missing in the recording.
    private func note(_ loss: String?, of stored: Exchange, in summary: inout RunSummary) {
        let name = "\(stored.request.method) \(self.options.redactor.logURL(stored.request.url))"
        if let loss {
            summary.recordingFailure = "\(name): \(loss)"
        } else if case .response(let response) = stored.outcome,
            response.body.isTruncated || stored.request.body.isTruncated
        {
            summary.warnings.append(
                "a body of \(name) is truncated in the cassette: text over \(BodyCapture.wholeLimit >> 20) MiB cannot be "
                    + "searched for secrets; use --ignore for it")
        }
    }

    /// A body with its octets in a side file if they are many.
    private func moved(_ body: RecordedBody, _ headers: HeaderList, _ unique: String) throws -> RecordedBody {
        guard case .octets(let octets) = body.content, octets.readableBytes > Self.inlineLimit else { return body }
        let type = headers.first("content-type").flatMap { MediaType.parse($0) }
        let writer = try SideFileWriter(self.location, mediaType: type, unique: unique)
        try writer.write(octets)
        var moved = body
        moved.content = .file(try writer.finish())
        return moved
    }
}
