import PlayheadEngine
import PlayheadProxy
import PlayheadTLS

/// One entry of `--client-cert`: `HOST=CERT,KEY`, or `HOST=FILE` when one file holds both.
struct ClientCertificateText {
    let hosts: HostPattern
    let certificateFile: String
    let keyFile: String

    init?(_ text: String) {
        let sides = text.split(separator: "=", maxSplits: 1)
        guard sides.count == 2, let hosts = try? HostPattern(String(sides[0])) else { return nil }
        let files = sides[1].split(separator: ",", omittingEmptySubsequences: false).map { String($0.trimmingSpaces()) }
        guard let first = files.first, let last = files.last, files.count <= 2, !files.contains("") else { return nil }
        self.hosts = hosts
        self.certificateFile = first
        self.keyFile = last
    }

    /// The text with its paths changed; what is no entry stays as it is and is refused later.
    static func mapPaths(in text: String, _ change: (String) -> String) -> String {
        guard let equals = text.firstIndex(of: "="), let entry = ClientCertificateText(text) else { return text }
        let files = [entry.certificateFile, entry.keyFile].map(change)
        return text[...equals] + files.joined(separator: ",")
    }

    /// Reads the files.
    ///
    /// - Throws: `CommandFailure` that names the file and what to do.
    func load(_ settings: Settings, _ host: HostEnvironment) throws -> ClientCertificate {
        let certificate = try Self.read(self.certificateFile, settings, host)
        let key = try Self.read(self.keyFile, settings, host)
        guard !key.contains("BEGIN ENCRYPTED PRIVATE KEY"), !key.contains("Proc-Type: 4,ENCRYPTED") else {
            throw settings.error(
                .clientCertificate,
                "names the key \(self.keyFile), which is encrypted, and there is nobody to ask for its password; write it "
                    + "unencrypted with `openssl pkey -in \(self.keyFile) -out KEY`")
        }
        do {
            return ClientCertificate(
                hosts: self.hosts, identity: try TLSIdentity(certificatesPEM: certificate, keyPEM: key))
        } catch let error as TLSError {
            throw settings.error(
                .clientCertificate, "has \(self.certificateFile) and \(self.keyFile), which cannot be used: \(error)")
        }
    }

    private static func read(_ file: String, _ settings: Settings, _ host: HostEnvironment) throws -> String {
        let path = host.absolute(file)
        guard let octets = FileText.read(path) else {
            throw CommandFailure(
                .system(.inputMissing),
                "\(path) cannot be read: \(FileText.lastError). \(settings.place(of: .clientCertificate)) names the file."
            )
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
