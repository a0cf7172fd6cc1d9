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

    /// The body as it is recorded.
    struct Stored {
        var body: RecordedBody
        /// The lengths of its chunks after the changes.
        var chunks: [RecordedResponse.Chunk] = []
        /// Why it is not recorded, or not whole.
        var loss: String?

        static func leftOut(_ reason: String) -> Stored {
            Stored(body: RecordedBody(.none, isTruncated: true), loss: reason)
        }
    }

    let session: CassetteSession
    let headers: HeaderList
    let isRequest: Bool
    let codings: [ContentCoding]
    /// How many octets were sent.
    let count: Int
    let pieces: Pieces

    /// Searches the body and writes it to a side file; what cannot be searched is left out.
    func store(_ chunks: [RecordedResponse.Chunk]) throws -> Stored {
        do {
            return self.codings.isEmpty ? try self.plain(chunks) : try self.coded(chunks)
        } catch let error as EngineError {
            return .leftOut(error.message)
        }
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

    private var bound: Int {
        let (product, overflow) = self.count.multipliedReportingOverflow(by: ContentDecoder.defaultRatioLimit)
        return overflow ? Self.decodedLimit : min(Self.decodedLimit, max(product, 1 << 20))
    }

    private func redaction() throws(EngineError) -> LargeBodyRedaction {
        try LargeBodyRedaction(
            redactor: self.session.options.redactor, filters: self.session.options.filters, isRequest: self.isRequest,
            headers: self.headers, ledger: self.session.ledger)
    }

    private func plain(_ chunks: [RecordedResponse.Chunk]) throws -> Stored {
        var redaction = try self.redaction()
        let writer = try self.session.sideFile(self.headers)
        try self.pieces { try writer.write(redaction.take($0)) }
        try writer.write(redaction.finish())
        return Stored(
            body: RecordedBody(.file(try writer.finish()), isTruncated: redaction.isCut),
            chunks: redaction.moved(chunks), loss: redaction.isCut ? "its rest cannot be searched for secrets" : nil)
    }

    /// Stored as sent if nothing has to change, since that is exact; else decoded.
    private func coded(_ chunks: [RecordedResponse.Chunk]) throws -> Stored {
        var redaction = try self.redaction()
        var problem: ContentError?
        let writer = try self.session.sideFile(self.headers)
        do {
            let decoder = try StreamDecoder(self.codings, limit: self.bound)
            try self.pieces { try decoder.take($0) { try writer.write(redaction.take($0)) } }
            try decoder.finish()
        } catch let error as ContentError {
            problem = error
        }
        try writer.write(redaction.finish())
        if let problem, problem.code == .tooLarge { return .leftOut(problem.message) }
        guard redaction.isChanged else {
            writer.abort()
            // Octets that do not decode may be text under a wrong name.
            guard problem == nil else { return try self.plain(chunks) }
            let exact = try self.session.sideFile(self.headers)
            try self.pieces { try exact.write($0) }
            return Stored(body: RecordedBody(.file(try exact.finish())), chunks: chunks)
        }
        guard problem == nil else { return .leftOut(Self.brokenSecret) }
        return Stored(
            body: RecordedBody(
                .file(try writer.finish()), coding: self.codings.map(\.rawValue), isTruncated: redaction.isCut),
            loss: redaction.isCut ? "its rest cannot be searched for secrets" : nil)
    }
}
