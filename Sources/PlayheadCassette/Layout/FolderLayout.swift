import NIOCore
import PlayheadHTTP

/// How a cassette lies in a folder: `cassette.yaml` with what is true for all, and one file per exchange.
enum FolderLayout {
    /// The file with the format version, the metadata and the matchers.
    static let headerName = "cassette.yaml"

    /// Whether a file of the folder holds an exchange.
    static func isExchange(_ name: String) -> Bool {
        name.hasSuffix(".yaml") && !name.hasPrefix(".") && name != self.headerName
    }

    /// Whether the order of the files follows from the ids: whole numbers that rise.
    static func rises(_ last: Int?, _ id: String) -> Int? {
        guard let number = Int(id), "\(number)" == id, number > last ?? Int.min else { return nil }
        return number
    }
}

/// Gives each exchange a file name that stays the same when it is recorded anew.
struct ExchangeFileNames {
    private var taken: Set<String> = []
    private let key: CassetteKey?

    init(key: CassetteKey?) { self.key = key }

    /// `METHOD-host-path_hash.yaml`; the hash is over method, URL, body, and which one it is among equal ones.
    ///
    /// The names of encrypted files say nothing but that they hold an exchange.
    mutating func name(for request: RecordedRequest) -> String {
        var content = Array("\(request.method)\n\(request.url)\n".utf8)
        switch request.body.content {
        case .none: break
        case .octets(let octets): content.append(contentsOf: octets.readableBytesView)
        case .file(let reference): content.append(contentsOf: reference.sha256.utf8)
        }
        var number = 0
        while true {
            let name = "\(self.prefix(request))_\(self.hash(content + Array("\n\(number)".utf8))).yaml"
            // File systems that ignore letter case must not take two for one.
            if self.taken.insert(name.lowercased()).inserted { return name }
            number += 1
        }
    }

    private func hash(_ content: [UInt8]) -> String {
        if let key = self.key { return hexadecimal(key.derived("exchange", content).prefix(16)) }
        let digest = SHA256Digest()
        content.withUnsafeBytes { digest.update($0) }
        return String(digest.finish().prefix(16))
    }

    private func prefix(_ request: RecordedRequest) -> String {
        guard self.key == nil else { return "exchange" }
        let rest = request.url.split(separator: "/", omittingEmptySubsequences: true).dropFirst()
        let host = rest.first.map { $0.split(separator: "@").last ?? $0 } ?? ""
        let path = rest.dropFirst().joined(separator: "-").prefix { $0 != "?" && $0 != "#" }
        let parts = [request.method, String(host.prefix { $0 != "?" }), String(path)]
        let text = parts.filter { !$0.isEmpty }.joined(separator: "-")
        let safe = text.utf8.prefix(100).map { octet -> UInt8 in
            let isSafe = octet < 0x80 && ((octet | 0x20) &- 0x61 < 26 || octet &- 0x30 < 10 || octet == 0x2e)
            return isSafe ? octet : UInt8(ascii: "-")
        }
        let name = String(decoding: safe, as: UTF8.self)
        return name.hasPrefix(".") ? "-" + name : name
    }
}
