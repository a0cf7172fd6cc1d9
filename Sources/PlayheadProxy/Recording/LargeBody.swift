import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP

/// A body on its way into a side file, piece by piece: too large to be searched, filtered or decoded in memory.
struct LargeBody {
    /// How far a content coding is taken off, in octets.
    static let decodedLimit = 1 << 30

    /// Calls back with each piece of the body as it was sent.
    typealias Pieces = ((ByteBuffer) throws -> Void) throws -> Void

    /// What is done to it, and where it goes.
    struct Treatment {
        var redactor: Redactor
        var filters: FilterChain
        var ledger: SharedLedger
        /// Makes a side file for a body with these fields; nil when nothing is to be written.
        var sideFile: (HeaderList) throws -> SideFileWriter?
    }

    /// The body as it is recorded.
    struct Stored {
        var body: RecordedBody
        /// The lengths of its chunks after the changes.
        var chunks: [RecordedResponse.Chunk] = []
        /// Why it is not recorded, or not whole.
        var loss: String?
        /// Whether nothing in it had to change, and so nothing was written.
        var isEqual = false

        /// It stays as it is.
        static let equal = Stored(body: RecordedBody(), isEqual: true)

        static func leftOut(_ reason: String) -> Stored {
            Stored(body: RecordedBody(.none, isTruncated: true), loss: reason)
        }
    }

    let treatment: Treatment
    let headers: HeaderList
    let isRequest: Bool
    let codings: [ContentCoding]
    /// How many octets were sent.
    let count: Int
    let pieces: Pieces

    /// Searches the body and writes it to a side file; what cannot be searched is left out.
    func store(_ chunks: [RecordedResponse.Chunk]) throws -> Stored {
        do {
            return try self.stored(chunks, unlessEqual: false)
        } catch let error as EngineError {
            return .leftOut(error.message)
        }
    }

    /// The body as it has to be stored instead of as it is; nil if nothing in it has to change.
    ///
    /// - Throws: `EngineError` when it cannot be filtered piece by piece, `ContentError` when it cannot be decoded so far.
    func changed(_ chunks: [RecordedResponse.Chunk]) throws -> Stored? {
        let stored = try self.stored(chunks, unlessEqual: true)
        return stored.isEqual ? nil : stored
    }

    private func stored(_ chunks: [RecordedResponse.Chunk], unlessEqual: Bool) throws -> Stored {
        self.codings.isEmpty
            ? try self.plain(chunks, unlessEqual: unlessEqual) : try self.coded(chunks, unlessEqual: unlessEqual)
    }

    /// What a coding hides that is not taken off: of a body that broke off, or that is no such data.
    ///
    /// - Returns: why the body must not be kept as it was sent; nil if nothing was found in it.
    func secretReason() throws -> String? {
        do {
            var redaction = try self.redaction()
            let decoder = try StreamDecoder(self.codings, limit: self.bound)
            do {
                try self.pieces { try decoder.take($0) { _ = redaction.take($0) } }
            } catch let error as ContentError where error.code != .tooLarge {
                // What came before is searched.
            }
            _ = redaction.finish()
            return redaction.isChanged ? Self.brokenSecret : nil
        } catch let error as ContentError {
            return error.message
        } catch let error as EngineError {
            return error.message
        }
    }

    private static let brokenSecret = "something secret is in it, and its content coding does not decode to the end"
    private static let cut = "its rest cannot be searched for secrets"

    /// How far a coded body of so many octets is decoded.
    static func bound(_ count: Int) -> Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: ContentDecoder.defaultRatioLimit)
        return overflow ? Self.decodedLimit : min(Self.decodedLimit, max(product, 1 << 20))
    }

    private var bound: Int { Self.bound(self.count) }

    private static func content(_ writer: SideFileWriter?) throws -> RecordedBody.Content {
        try writer.map { .file(try $0.finish()) } ?? .none
    }

    private func redaction() throws(EngineError) -> LargeBodyRedaction {
        try LargeBodyRedaction(
            redactor: self.treatment.redactor, filters: self.treatment.filters, isRequest: self.isRequest,
            headers: self.headers, ledger: self.treatment.ledger)
    }

    private func plain(_ chunks: [RecordedResponse.Chunk], unlessEqual: Bool) throws -> Stored {
        var redaction = try self.redaction()
        let writer = try self.treatment.sideFile(self.headers)
        try self.pieces {
            let clean = redaction.take($0)
            try writer?.write(clean)
        }
        let rest = redaction.finish()
        try writer?.write(rest)
        if unlessEqual, !redaction.isChanged { return .equal }
        return Stored(
            body: RecordedBody(try Self.content(writer), isTruncated: redaction.isCut),
            chunks: redaction.moved(chunks), loss: redaction.isCut ? Self.cut : nil)
    }

    /// Stored as sent if nothing has to change, since that is exact; else decoded.
    private func coded(_ chunks: [RecordedResponse.Chunk], unlessEqual: Bool) throws -> Stored {
        var redaction = try self.redaction()
        var problem: ContentError?
        let writer = try self.treatment.sideFile(self.headers)
        do {
            let decoder = try StreamDecoder(self.codings, limit: self.bound)
            try self.pieces {
                try decoder.take($0) {
                    let clean = redaction.take($0)
                    try writer?.write(clean)
                }
            }
            try decoder.finish()
        } catch let error as ContentError {
            problem = error
        }
        let rest = redaction.finish()
        try writer?.write(rest)
        if let problem, problem.code == .tooLarge {
            if unlessEqual { throw problem }
            return .leftOut(problem.message)
        }
        guard redaction.isChanged else {
            writer?.abort()
            // Octets that do not decode may be text under a wrong name.
            guard problem == nil else { return try self.plain(chunks, unlessEqual: unlessEqual) }
            if unlessEqual { return .equal }
            let exact = try self.treatment.sideFile(self.headers)
            try self.pieces { try exact?.write($0) }
            return Stored(body: RecordedBody(try Self.content(exact)), chunks: chunks)
        }
        guard problem == nil else { return .leftOut(Self.brokenSecret) }
        return Stored(
            body: RecordedBody(
                try Self.content(writer), coding: self.codings.map(\.rawValue), isTruncated: redaction.isCut),
            loss: redaction.isCut ? Self.cut : nil)
    }
}

extension CassetteSession {
    /// What is done to a body that is too large for memory.
    var largeBodies: LargeBody.Treatment {
        LargeBody.Treatment(
            redactor: self.options.redactor, filters: self.options.filters, ledger: self.ledger,
            sideFile: { try self.sideFile($0) })
    }
}
