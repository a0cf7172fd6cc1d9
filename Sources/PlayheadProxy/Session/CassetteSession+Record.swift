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
    /// Filters and redacts an exchange, moves big bodies to side files, and appends it to the journal.
    ///
    /// Trouble with the disk never harms the client: it is remembered and reported at close. Only the append holds the
    /// session's lock: a big body may take its time to be searched.
    ///
    /// - Parameters:
    ///   - request: the request as it came, to find the old exchanges that this one replaces.
    ///   - loss: what the disk did not take of the bodies, in a sentence.
    ///   - leftOut: why a body is not in the recording, or not whole.
    func record(_ exchange: Exchange, request: IncomingRequest, loss: String? = nil, leftOut: String? = nil) {
        do {
            var stored = self.options.redactor.redact(
                self.options.filters.filtered(exchange), sharing: self.ledger)
            if let hook = self.options.filters.beforeRecord {
                guard let kept = hook(stored) else { return }
                stored.request = kept.request
                stored.outcome = kept.outcome
            }
            stored = try stored.mappingBodies { body, headers in try body.moved { try self.sideFile(headers) } }
            try self.append(
                stored, request: self.options.filters.filtered(request), loss: loss, leftOut: leftOut)
        } catch {
            self.state.withLock { $0.summary.recordingFailure = "\(error)" }
        }
    }

    /// A new side file for a body with these fields.
    func sideFile(_ headers: HeaderList) throws -> SideFileWriter {
        let type = headers.first("content-type").flatMap { MediaType.parse($0) }
        let number = self.sideFileNumber.wrappingAdd(1, ordering: .relaxed).newValue
        return try SideFileWriter(self.location, mediaType: type, unique: "\(getpid()) \(number)")
    }

    /// Appends an exchange to the journal; ids are given in the order in which that happens.
    private func append(_ exchange: Exchange, request: IncomingRequest, loss: String?, leftOut: String?) throws {
        try self.state.withLock { state in
            var stored = exchange
            stored.id = "\(state.nextID)"
            guard !state.isClosed else {
                throw CassetteError(
                    .cannotWrite, "\(stored.request.method) ended after the cassette was saved",
                    file: self.location.file)
            }
            let journal = try state.journal ?? CassetteJournal.open(self.location)
            state.journal = journal
            try journal.append(stored)
            state.nextID += 1
            state.summary.recorded += 1
            self.observe(.recorded(stored))
            if case .failure(let failure) = stored.outcome, failure.kind.isFault {
                state.summary.failed += 1
                state.failures.noteRecorded(failure.message, named: self.name(of: stored.request))
            }
            state.merge.noteRecorded(request)
            if self.options.reportsExchanges, state.summary.exchanges.count < ExchangeLine.limit {
                state.summary.note(self.line(stored, .recorded))
            }
            self.note(loss, leftOut, of: stored, in: &state.summary)
        }
    }

    /// The line of a report about an exchange.
    func line(_ exchange: Exchange, _ outcome: ExchangeLine.Outcome, plays: Int = 0) -> ExchangeLine {
        ExchangeLine(
            id: exchange.id, method: exchange.request.method,
            url: self.options.redactor.logURL(exchange.request.url), outcome: outcome, plays: plays)
    }

    /// What a request is called in the summary.
    private func name(of request: RecordedRequest) -> String {
        "\(request.method) \(self.options.redactor.logURL(request.url))"
    }

    /// A request failed for a reason that is not recorded, such as a proxy on the way that does not answer.
    func countFailure(_ request: RecordedRequest, _ message: String) {
        self.state.withLock { state in
            state.summary.failed += 1
            state.failures.noteUnrecorded(message, named: self.name(of: request))
        }
    }

    /// Says what is missing in the recording.
    private func note(_ loss: String?, _ leftOut: String?, of stored: Exchange, in summary: inout RunSummary) {
        let name = self.name(of: stored.request)
        if let loss {
            summary.recordingFailure = "\(name): \(loss)"
        } else if let leftOut {
            summary.warn(
                "a body of \(name) is not in the cassette, or not whole: \(leftOut); at replay it breaks off there. Use "
                    + "--ignore to leave such requests out")
        }
    }
}
