import NIOCore
import PlayheadCassette
import PlayheadContent
import PlayheadEngine
import PlayheadHTTP

/// The octets of one body while it streams past: in memory up to a bound, then in an unlinked spill file.
///
/// The spill file has no name, so what is in it before redaction cannot be found by anyone, not even after a crash.
struct BodyCapture: Sendable {
    /// The bound of memory in octets.
    static let memoryLimit = 64 * 1024
    /// The bound of what is redacted and decoded as a whole, in octets; more goes piece by piece, in far less memory.
    private static let searchedLimit = 8 * 1024 * 1024
    /// The same where a filter by key has to see all of it.
    private static let filteredLimit = 64 * 1024 * 1024

    /// Up to how many octets a body is filtered, redacted and decoded as a whole.
    static func wholeLimit(_ filters: FilterChain, isRequest: Bool) -> Int {
        filters.needsWholeBody(ofRequest: isRequest) ? Self.filteredLimit : Self.searchedLimit
    }

    private var memory = ByteBuffer()
    private var spill: SpillFile?
    private var count = 0
    private var spillFailure: String?
    private let codings: [ContentCoding]
    private let keepsExactOctets: Bool
    /// Another bound than the usual one.
    private let wholeLimit: Int?

    init(headers: HeaderList, wholeLimit: Int? = nil) {
        self.wholeLimit = wholeLimit
        let field = headers.members(of: "content-encoding").joined(separator: ",")
        self.codings = field.isEmpty ? [] : ContentCoding.list(fromHeader: field) ?? []
        // A digest or signature over the coded octets would be wrong for octets that are coded anew.
        self.keepsExactOctets = ["content-digest", "digest", "content-md5", "signature"].contains {
            headers.contains($0)
        }
    }

    /// Whether finishing may take long enough to belong on a thread.
    var isLarge: Bool { self.spill != nil || self.count > Self.memoryLimit }

    /// Why the disk did not take the whole body, if it did not.
    var loss: String? { self.spillFailure.map { "its body could not be kept: \($0)" } }

    /// What matching compares; reads the spill file, so a large body is asked for it where blocking is allowed.
    func matchable() -> IncomingBody {
        guard let spill = self.spill, self.spillFailure == nil else {
            return self.memory.readableBytes > 0 ? .octets(self.memory) : .none
        }
        guard self.count > BodyCollector.limit else {
            return (try? spill.read(limit: self.count)).map { .octets($0) } ?? .none
        }
        let digest = SHA256Digest()
        guard (try? spill.forEachPiece { $0.withUnsafeReadableBytes { digest.update($0) } }) != nil else {
            return .none
        }
        return .hashed(sha256: digest.finish(), length: self.count)
    }

    mutating func append(_ octets: ByteBuffer) {
        self.count += octets.readableBytes
        if self.spill == nil, self.spillFailure == nil, self.count > Self.memoryLimit {
            do {
                let file = try SpillFile()
                try file.append(self.memory)
                self.spill = file
                self.memory = ByteBuffer()
            } catch {
                self.spillFailure = error.advice
            }
        }
        guard self.spillFailure == nil else { return }
        if let spill = self.spill {
            do { try spill.append(octets) } catch { self.spillFailure = error.advice }
        } else {
            var octets = octets
            self.memory.writeBuffer(&octets)
        }
    }

    mutating func discard() {
        self.memory = ByteBuffer()
        self.spill = nil
    }

    /// The body for the cassette, its codings taken off where they decode; `loss` says then if the disk failed.
    ///
    /// - Parameters:
    ///   - keepsCoding: for a body that broke off: it cannot decode.
    ///   - chunks: where its chunks end.
    mutating func finish(
        keepsCoding: Bool = false, chunks: [RecordedResponse.Chunk] = [], headers: HeaderList, isRequest: Bool,
        in session: CassetteSession
    ) -> LargeBody.Stored {
        guard self.count > 0 else { return LargeBody.Stored(body: RecordedBody()) }
        let isTruncated = self.spillFailure != nil
        let limit = self.wholeLimit ?? Self.wholeLimit(session.options.filters, isRequest: isRequest)
        do {
            let spill = self.spill
            if let spill, self.count > limit {
                let large = LargeBody(
                    treatment: session.largeBodies, headers: headers, isRequest: isRequest, codings: self.codings,
                    count: self.count
                ) { try spill.forEachPiece($0) }
                var stored = try large.store(chunks)
                stored.body.isTruncated = stored.body.isTruncated || isTruncated
                return stored
            }
            let octets = try spill?.read(limit: limit) ?? self.memory
            if self.codings.isEmpty {
                return LargeBody.Stored(body: RecordedBody(.octets(octets), isTruncated: isTruncated), chunks: chunks)
            }
            let coded = LargeBody(
                treatment: session.largeBodies, headers: headers, isRequest: isRequest, codings: self.codings,
                count: self.count
            ) { try $0(octets) }
            return try self.recorded(octets, coded, chunks, keepsCoding: keepsCoding || isTruncated, limit: limit)
        } catch {
            self.spillFailure = (error as? SpillFile.Failure)?.advice ?? "\(error)"
            return LargeBody.Stored(body: RecordedBody(.none, isTruncated: true))
        }
    }

    private func recorded(
        _ octets: ByteBuffer, _ coded: LargeBody, _ chunks: [RecordedResponse.Chunk], keepsCoding: Bool, limit: Int
    ) throws -> LargeBody.Stored {
        let isTruncated = self.spillFailure != nil
        let asSent = LargeBody.Stored(body: RecordedBody(.octets(octets), isTruncated: isTruncated), chunks: chunks)
        if !keepsCoding {
            do throws(ContentError) {
                let decoded = try ContentDecoder.decode(octets, codings: self.codings, limit: limit)
                // What is kept with its coding on is decoded again when it is searched.
                if self.keepsExactOctets { return asSent }
                return LargeBody.Stored(body: RecordedBody(.octets(decoded), coding: self.codings.map(\.rawValue)))
            } catch {
                if error.code == .tooLarge { return try coded.store(chunks) }
            }
        }
        if let reason = try coded.secretReason() { return .leftOut(reason) }
        return asSent
    }
}
