internal import COpenSSL

/// The names that a peer's certificate is for, made safe to print.
enum SubjectNames {
    /// How many names a message lists.
    private static let most = 5

    /// Says for which names a certificate is.
    static func sentence(of certificate: OpaquePointer) -> String {
        let names = list(of: certificate)
        guard !names.isEmpty else { return "the certificate has no subjectAltName, and its common name does not count" }
        let shown = names.prefix(most).joined(separator: ", ")
        return "the certificate is for \(shown)" + (names.count > most ? " and \(names.count - most) more" : "")
    }

    private static func list(of certificate: OpaquePointer) -> [String] {
        guard let raw = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return [] }
        let names = OpaquePointer(raw)
        defer { playhead_general_names_free(names) }
        return (0..<playhead_general_names_count(names)).compactMap { index in
            guard let name = playhead_general_names_at(names, index) else { return nil }
            switch name.pointee.type {
            case GEN_DNS: return printable(name.pointee.d.dNSName)
            case GEN_IPADD: return address(name.pointee.d.iPAddress)
            default: return nil
            }
        }
    }

    private static func octets(_ string: UnsafeMutablePointer<ASN1_STRING>?) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string)))
    }

    /// The name with everything but printable ASCII replaced, cut at 100 octets: the peer chose it.
    private static func printable(_ string: UnsafeMutablePointer<ASN1_STRING>?) -> String {
        let safe = octets(string).prefix(100).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: safe, as: UTF8.self)
    }

    private static func address(_ string: UnsafeMutablePointer<ASN1_STRING>?) -> String {
        let octets = octets(string)
        if octets.count == 4 { return octets.map { String($0) }.joined(separator: ".") }
        return stride(from: 0, to: octets.count - 1, by: 2)
            .map { String(Int(octets[$0]) << 8 | Int(octets[$0 + 1]), radix: 16) }.joined(separator: ":")
    }
}
