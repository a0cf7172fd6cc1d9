import NIOCore

/// The form of an encrypted file: a header, then segments of 64 KiB, each sealed with AES-256-GCM.
///
/// Header: `PHENC`, the version 1, a NUL, a line end; 16 octets of salt; 16 octets that tell a wrong key from damage.
/// Each file has a key of its own, HMAC-SHA256 of the salt with the cassette key. The nonce of a segment is its number
/// and whether it is the last one, so segments cannot be swapped, left out or cut off unseen; the header is covered too.
struct SealedFile {
    static let magic: [UInt8] = Array("PHENC".utf8) + [1, 0, 0x0a]
    static let saltLength = 16
    static let headerLength = magic.count + saltLength + 16
    static let segment = 64 << 10

    private let cipher: AESGCM
    let header: [UInt8]

    /// A file to be written.
    init(_ key: CassetteKey, magic: [UInt8] = Self.magic, salt: [UInt8]) {
        self.header = magic + salt + Self.check(key, salt)
        self.cipher = AESGCM(key: key.derived("file", salt))
    }

    /// A file that begins with these octets; `what` is it in messages.
    init(
        _ key: CassetteKey?, start: some Collection<UInt8>, magic: [UInt8] = Self.magic, what: String, file: String
    ) throws(CassetteError) {
        let start = Array(start.prefix(Self.headerLength))
        guard start.starts(with: magic) else {
            guard start.starts(with: Self.mark(magic)) else {
                throw CassetteError(
                    .key,
                    "\(what) is not encrypted and a key is given; encrypt it with "
                        + "`playhead cassette convert NAME NAME --force`, or leave --encrypt-with out", file: file)
            }
            let isCut = start.count < magic.count
            throw CassetteError(
                isCut ? .malformed : .tooNew,
                isCut
                    ? "\(what) is cut off in its first octets"
                    : "\(what) has a newer form of encryption; use a newer playhead", file: file)
        }
        guard let key else { throw Self.missingKey(what, file) }
        guard start.count == Self.headerLength else {
            throw CassetteError(.malformed, "\(what) is cut off in its first octets", file: file)
        }
        let salt = Array(start[magic.count..<magic.count + Self.saltLength])
        guard start.suffix(16).elementsEqual(Self.check(key, salt)) else {
            throw CassetteError(
                .key, "the key does not fit: \(what) was encrypted with another one; name it with --encrypt-with",
                file: file)
        }
        self.header = start
        self.cipher = AESGCM(key: key.derived("file", salt))
    }

    /// The letters of a magic, which stay when its version changes.
    private static func mark(_ magic: [UInt8]) -> [UInt8] { Array(magic.prefix { $0 >= 0x20 }) }

    /// Whether octets are the start of an encrypted file.
    static func isSealed(_ start: some Collection<UInt8>) -> Bool { start.starts(with: self.mark(self.magic)) }

    static func missingKey(_ what: String, _ file: String) -> CassetteError {
        CassetteError(
            .key, "\(what) is encrypted; name its key with --encrypt-with KEYFILE or --encrypt-with env:NAME",
            file: file)
    }

    /// How long the file is with so many octets in it; nil if no number can hold it.
    static func length(of count: Int) -> Int? {
        let tags = max(1, count / Self.segment + (count % Self.segment == 0 ? 0 : 1)) * AESGCM.tagLength
        let (sum, overflow) = count.addingReportingOverflow(Self.headerLength + tags)
        return overflow ? nil : sum
    }

    func seal(_ plain: UnsafeRawBufferPointer, number: UInt64, isLast: Bool, into out: inout ByteBuffer) {
        self.cipher.seal(plain, nonce: Self.nonce(number, isLast), covering: self.header, into: &out)
    }

    func open(_ sealed: UnsafeRawBufferPointer, number: UInt64, isLast: Bool, into out: inout ByteBuffer) -> Bool {
        self.cipher.open(sealed, nonce: Self.nonce(number, isLast), covering: self.header, into: &out)
    }

    /// Seals one record of a journal; it has a nonce of its own, since a record that failed is written again.
    func sealRecord(_ plain: UnsafeRawBufferPointer, number: UInt64, into out: inout ByteBuffer) {
        let nonce = AESGCM.random(AESGCM.nonceLength)
        out.writeBytes(nonce)
        self.cipher.seal(plain, nonce: nonce, covering: self.header + Self.octets(number), into: &out)
    }

    /// The record that was sealed with its nonce in front; nil if it was changed.
    func openRecord(_ sealed: UnsafeRawBufferPointer, number: UInt64) -> ByteBuffer? {
        guard sealed.count >= AESGCM.nonceLength + AESGCM.tagLength else { return nil }
        let nonce = Array(sealed[..<AESGCM.nonceLength])
        let rest = UnsafeRawBufferPointer(rebasing: sealed[AESGCM.nonceLength...])
        var plain = ByteBuffer()
        let covering = self.header + Self.octets(number)
        return self.cipher.open(rest, nonce: nonce, covering: covering, into: &plain) ? plain : nil
    }

    static func changed(_ what: String, _ file: String) -> CassetteError {
        CassetteError(
            .malformed, "\(what) is damaged, cut off or was changed: its octets are not those that were encrypted",
            file: file)
    }

    /// The octets of a whole file in clear; a file that is not encrypted needs to be read without a key.
    static func opened(_ bytes: ByteBuffer, key: CassetteKey?, file: String) throws(CassetteError) -> ByteBuffer {
        let what = "the cassette"
        guard key != nil || self.isSealed(bytes.readableBytesView) else { return bytes }
        let sealed = try SealedFile(key, start: bytes.readableBytesView, what: what, file: file)
        var plain = ByteBuffer()
        plain.reserveCapacity(bytes.readableBytes)
        let isWhole = bytes.withUnsafeReadableBytes { bytes in
            var offset = Self.headerLength
            var number: UInt64 = 0
            while true {
                let end = min(bytes.count, offset + Self.segment + AESGCM.tagLength)
                let isLast = end == bytes.count
                let piece = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
                guard sealed.open(piece, number: number, isLast: isLast, into: &plain) else { return false }
                if isLast { return true }
                offset = end
                number += 1
            }
        }
        guard isWhole else { throw Self.changed(what, file) }
        return plain
    }

    /// The octets of a whole file, sealed.
    static func sealed(_ plain: ByteBuffer, key: CassetteKey, salt: [UInt8]) -> ByteBuffer {
        let sealed = SealedFile(key, salt: salt)
        var out = ByteBuffer(bytes: sealed.header)
        plain.withUnsafeReadableBytes { plain in
            var offset = 0
            var number: UInt64 = 0
            repeat {
                let end = min(plain.count, offset + Self.segment)
                let piece = UnsafeRawBufferPointer(rebasing: plain[offset..<end])
                sealed.seal(piece, number: number, isLast: end == plain.count, into: &out)
                offset = end
                number += 1
            } while offset < plain.count
        }
        return out
    }

    private static func check(_ key: CassetteKey, _ salt: [UInt8]) -> [UInt8] {
        Array(key.derived("check", salt).prefix(16))
    }

    private static func nonce(_ number: UInt64, _ isLast: Bool) -> [UInt8] {
        [0, 0, 0, isLast ? 1 : 0] + self.octets(number)
    }

    private static func octets(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }
}
