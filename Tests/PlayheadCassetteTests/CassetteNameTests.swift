import PlayheadCassette
import Testing

struct CassetteNameTests {
    @Test(arguments: [
        ("a", "f/a.yaml", CassetteFormat.yaml), ("a.yml", "f/a.yml", .yaml), ("a.json", "f/a.json", .json),
        ("a.plist", "f/a.plist", .plist), ("a/b c/d-e_f.v2", "f/a/b c/d-e_f.v2.yaml", .yaml),
        ("größe", "f/größe.yaml", .yaml),
        ("日本", "f/日本.yaml", .yaml), ("a.YAML", "f/a.yaml", .yaml), ("console", "f/console.yaml", .yaml),
    ]) func accepts(name: String, file: String, format: CassetteFormat) throws {
        let location = CassetteLocation(folder: "f", name: try CassetteName.validated(name))
        #expect(location.file == file)
        #expect(location.name.format == format)
    }

    @Test(arguments: [
        "", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", ".hidden", "a/.b", "a\\b", "a:b", "a*", "a?",
        "a|b",
        "a<b", "a\"b", "a\0b", "a\nb", "a\rb", "a\tb", "a\u{7f}", "~a/..", "C:a", "con", "NUL", "nul.txt", "a/COM1",
        "lpt9.x",
        "a.", "a ", " a", "a./b", ".yaml", "a/.json", "a%2e%2e", "a\u{202e}b", "a\u{200b}b", "a\u{2215}b", "👍",
        "x.bodies/y",
        "a.journal", "$HOME", "a;b", "a&b", "-\u{0}", "a\u{fffd}", "..yaml", String(repeating: "a", count: 201),
    ]) func refuses(name: String) {
        #expect(throws: CassetteError(.illegalName, ""), "\(name.debugDescription)") {
            try CassetteName.validated(name)
        }
    }

    @Test func bringsNamesIntoNFC() throws {
        let name = try CassetteName.validated("e\u{301}")
        #expect(Array(name.base.utf8) == Array("\u{e9}".utf8))
        #expect(name == (try CassetteName.validated("\u{e9}")))
    }

    @Test func filesBesideDifferByExtension() throws {
        let yaml = CassetteLocation(folder: "f/", name: try CassetteName.validated("a/b"))
        let json = CassetteLocation(folder: "/", name: try CassetteName.validated("b.json"))
        #expect(
            yaml.journal == "f/a/b.journal" && yaml.bodiesFolder == "f/a/b.bodies" && yaml.lockFile == "f/a/.b.lock")
        #expect(
            json.journal == "/b.json.journal" && json.bodiesFolder == "/b.json.bodies"
                && json.lockFile == "/.b.json.lock")
    }
}
