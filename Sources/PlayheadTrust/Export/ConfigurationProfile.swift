/// A configuration profile of Apple's systems with one root certificate, for devices that take no file in a store.
///
/// The user installs it by opening it, and switches full trust on by hand in the settings of iOS.
public enum ConfigurationProfile {
    /// The profile as an XML property list; the same certificate gives the same octets.
    public static func text(for certificate: LocalCertificate) -> String {
        let digits = certificate.fingerprint
        let name = escaped(certificate.name)
        let identifier = "io.playhead.ca." + digits.prefix(16)
        let lines = PEMCertificate(der: certificate.certificate.der).pem.split(separator: "\n").dropFirst().dropLast()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>PayloadContent</key>
            \t<array>
            \t\t<dict>
            \t\t\t<key>PayloadCertificateFileName</key>
            \t\t\t<string>ca.cer</string>
            \t\t\t<key>PayloadContent</key>
            \t\t\t<data>
            \(lines.joined(separator: "\n"))
            \t\t\t</data>
            \t\t\t<key>PayloadDescription</key>
            \t\t\t<string>Lets this device trust a local recording proxy. Remove it when you do not need it.</string>
            \t\t\t<key>PayloadDisplayName</key>
            \t\t\t<string>\(name)</string>
            \t\t\t<key>PayloadIdentifier</key>
            \t\t\t<string>\(identifier).root</string>
            \t\t\t<key>PayloadType</key>
            \t\t\t<string>com.apple.security.root</string>
            \t\t\t<key>PayloadUUID</key>
            \t\t\t<string>\(uuid(digits.prefix(32)))</string>
            \t\t\t<key>PayloadVersion</key>
            \t\t\t<integer>1</integer>
            \t\t</dict>
            \t</array>
            \t<key>PayloadDisplayName</key>
            \t<string>\(name)</string>
            \t<key>PayloadIdentifier</key>
            \t<string>\(identifier)</string>
            \t<key>PayloadRemovalDisallowed</key>
            \t<false/>
            \t<key>PayloadType</key>
            \t<string>Configuration</string>
            \t<key>PayloadUUID</key>
            \t<string>\(uuid(digits.suffix(32)))</string>
            \t<key>PayloadVersion</key>
            \t<integer>1</integer>
            </dict>
            </plist>

            """
    }

    /// Digits in the form of a UUID, version 8 (RFC 9562 section 5.8): made by us, from the certificate.
    private static func uuid(_ digits: Substring) -> String {
        var digits = Array(digits.uppercased())
        guard digits.count == 32 else { return "" }
        digits[12] = "8"
        digits[16] = "8"
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        return parts.joined(separator: "-")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
