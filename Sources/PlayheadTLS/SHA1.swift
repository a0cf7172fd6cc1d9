internal import COpenSSL

/// SHA-1, for the handshake of a WebSocket (RFC 6455 section 4.2.2); not for anything that needs security.
public enum SHA1 {
    /// The digest of a text, 20 octets; empty if OpenSSL cannot make one.
    public static func digest(_ text: String) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        var text = text
        let result = text.withUTF8 { EVP_Digest($0.baseAddress, $0.count, &digest, nil, EVP_sha1(), nil) }
        return result == 1 ? digest : []
    }
}
