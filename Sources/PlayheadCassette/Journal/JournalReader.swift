import NIOCore

/// Goes through a journal record by record with one read buffer.
struct JournalReader {
    private static let piece = 1 << 20

    private let file: OpenFile
    /// How the records are sealed, if they are.
    private(set) var sealed: SealedFile?
    /// How many records were read.
    private(set) var count: UInt64 = 0
    private var buffer = ByteBuffer()
    private var isAtEnd = false
    /// Octets up to the end of the last whole record.
    private(set) var validLength = 0
    /// Why reading stopped before the end of the file, if it did.
    private(set) var damage: String?

    /// Begins at the start of the file.
    init(_ file: OpenFile, key: CassetteKey?) throws(CassetteError) {
        self.file = file
        file.rewind()
        try self.fill(JournalRecord.magic.count)
        guard self.buffer.readableBytes > 0 else { return }
        if key != nil || self.buffer.readableBytesView.starts(with: JournalRecord.sealedMagic) {
            try self.unseal(key)
        } else if self.buffer.readableBytesView.starts(with: JournalRecord.magic) {
            self.buffer.moveReaderIndex(forwardBy: JournalRecord.magic.count)
            self.validLength = JournalRecord.magic.count
        } else {
            let isCut = JournalRecord.magic.starts(with: self.buffer.readableBytesView)
            self.damage = isCut ? "the journal ends in its first octets" : "this is not a journal of this version"
            self.isAtEnd = true
            self.buffer.clear()
        }
    }

    /// Reads the first octets of an encrypted journal.
    private mutating func unseal(_ key: CassetteKey?) throws(CassetteError) {
        try self.fill(SealedFile.headerLength)
        let start = self.buffer.readableBytesView
        if start.count < SealedFile.headerLength, JournalRecord.sealedMagic.starts(with: start.prefix(8)) {
            self.damage = "the journal ends in its first octets"
            self.isAtEnd = true
            return self.buffer.clear()
        }
        self.sealed = try SealedFile(
            key, start: start, magic: JournalRecord.sealedMagic, what: "the journal", file: self.file.path)
        self.buffer.moveReaderIndex(forwardBy: SealedFile.headerLength)
        self.validLength = SealedFile.headerLength
    }

    private mutating func step() -> JournalRecord.Step {
        guard let sealed = self.sealed else { return JournalRecord.read(from: &self.buffer) }
        return JournalRecord.read(from: &self.buffer, number: self.count, sealed: sealed)
    }

    /// The next exchange; nil at the end or at the first damage.
    mutating func next() throws(CassetteError) -> Exchange? {
        guard self.damage == nil else { return nil }
        while true {
            let before = self.buffer.readableBytes
            if before == 0, self.isAtEnd { return nil }
            switch self.step() {
            case .exchange(let exchange):
                self.validLength += before - self.buffer.readableBytes
                self.count += 1
                return exchange
            case .damaged(let reason):
                self.damage = reason
                return nil
            case .needs(let count):
                try self.fill(count)
                if self.buffer.readableBytes == 0 { return nil }
                if self.buffer.readableBytes < count {
                    self.damage = "the last record is cut off"
                    return nil
                }
            }
        }
    }

    private mutating func fill(_ count: Int) throws(CassetteError) {
        while self.buffer.readableBytes < count, !self.isAtEnd {
            var more = try self.file.read(upTo: Self.piece)
            if more.readableBytes == 0 {
                self.isAtEnd = true
            } else if self.buffer.readableBytes == 0 {
                self.buffer = more
            } else {
                self.buffer.discardReadBytes()
                self.buffer.writeBuffer(&more)
            }
        }
    }
}
