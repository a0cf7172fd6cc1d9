import PlayheadCA
import PlayheadTrust

/// The public files for clients in other containers: what makes them trust the CA and use the proxy.
///
/// No private key and no token is among them. `env.sh` comes last: whoever waits for it finds the rest.
struct SharedCA {
    let setup: SessionSetup

    /// Writes the files; each is whole or not there.
    func write(_ authority: CertificateAuthority, into folder: String, proxyURL: String) throws {
        let files = try TrustMaterial(host: self.setup.host).write(authority, into: folder, strictOnlyOurs: false)
        let settings = self.setup.settings
        let change = ProxyEnvironment(
            proxyURL: proxyURL, files: files,
            // `serve` chose its cassette; the variable is a setting of the client's own `playhead`.
            cassette: nil,
            proxyLocalhost: try settings.flag(.proxyLocalhost), keepNoProxy: try settings.flag(.keepNoProxy)
        ).change(inherited: [:])
        try FileText.replace(folder + "/env.sh", with: EnvironmentFormat.sh.render(change))
    }
}
