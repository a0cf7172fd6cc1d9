import NIOCore

/// Writes a cassette piece by piece: the header, each exchange, the end.
struct CassetteEncoder {
    let format: CassetteFormat
    private var yaml = YAMLWriter()
    private var json = JSONWriter()
    private var plist = PlistWriter()
    private var count = 0

    init(format: CassetteFormat) { self.format = format }

    /// The octets that wait to be taken.
    var pending: Int {
        switch self.format {
        case .yaml: self.yaml.buffer.readableBytes
        case .json: self.json.buffer.readableBytes
        case .plist: self.plist.buffer.readableBytes
        }
    }

    /// Gives away the octets written so far.
    mutating func take() -> ByteBuffer {
        switch self.format {
        case .yaml: self.yaml.take()
        case .json: self.json.take()
        case .plist: self.plist.take()
        }
    }

    mutating func begin(_ cassette: Cassette) {
        let header = CassetteNodes.header(of: cassette)
        switch self.format {
        case .yaml:
            self.yaml.pairs(header, indent: 0)
            self.yaml.literally("exchanges:")
        case .json: self.json.begin(header)
        case .plist: self.plist.begin(header)
        }
    }

    mutating func append(_ exchange: Exchange) {
        let node = CassetteNodes.exchange(exchange)
        switch self.format {
        case .yaml:
            if self.count == 0 { self.yaml.literally("\n") }
            self.yaml.item(node, indent: 0)
        case .json: self.json.item(node, isFirst: self.count == 0)
        case .plist: self.plist.item(node)
        }
        self.count += 1
    }

    mutating func end() {
        switch self.format {
        case .yaml: if self.count == 0 { self.yaml.literally(" []\n") }
        case .json: self.json.end(isEmpty: self.count == 0)
        case .plist: self.plist.end()
        }
    }
}
