import PlayheadCA
import Testing

@Suite struct LeafNameTests {
    @Test(arguments: [
        ("example.com", "example.com"), ("EXAMPLE.Com.", "example.com"), ("a_b.example", "a_b.example"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("localhost", "localhost"),
        ("1.2.3.4", "1.2.3.4"), ("[::1]", "::1"), ("2001:DB8::1", "2001:db8::1"), ("4.example4", "4.example4"),
    ])
    func gives(_ host: String, itsOneSpelling spelling: String) throws {
        #expect(try LeafName.validated(host).text == spelling)
    }

    @Test(arguments: [
        "", ".", "..", "*", "*.example.com", "a..b", ".a", "a,DNS:b", "a/b", "a b", "a\0b", "1.2.3.4\0", "a\n", "a@b",
        "DNS:a", "127.1", "2130706433", "0x7f000001", "1.2.3.256", "fe80::1%eth0", "[fe80::1%25eth0]", "[1.2.3.4]",
        "[::1", "::g", "a:443", "bücher.example", "${ENV::X}", "@section", "a\\b",
        String(repeating: "a", count: 64) + ".example",
        Array(repeating: String(repeating: "a", count: 62), count: 5).joined(separator: "."),
    ])
    func refuses(_ host: String) {
        #expect { try LeafName.validated(host) } throws: { ($0 as? CAError)?.code == .illegalName }
    }
}
