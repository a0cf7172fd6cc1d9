import Foundation
import PlayheadTLS
import Testing

@testable import PlayheadCA

@Suite struct AuthorityFilesTests {
    private let folder: Folder
    private var directory: String { folder.path + "/deep/ca" }

    init() throws { folder = try Folder() }

    private func loadOrCreate() throws -> CertificateAuthority {
        try CertificateAuthority.loadOrCreate(directory: directory, userAtHost: "me@here", now: realTime)
    }

    private func code(_ body: () throws -> Void) -> CAError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? CAError)?.code
        }
    }

    @Test func makesTheCAOnceAndForItsOwnerOnly() throws {
        #expect(!CertificateAuthority.exists(directory: directory))
        let first = try loadOrCreate()
        #expect(CertificateAuthority.exists(directory: directory))
        #expect(try folder.mode(of: "deep/ca") == 0o700)
        #expect(try folder.mode(of: "deep/ca/ca.key") == 0o600)
        #expect(try folder.mode(of: "deep/ca/ca.pem") == 0o644)
        #expect(try loadOrCreate().fingerprintSHA256 == first.fingerprintSHA256)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(Set(left) == [".ca.lock", "ca.key", "ca.pem"])
        #expect(!first.certificatePEM.contains("PRIVATE"))
    }

    @Test func rotationReplacesBothFilesAtOnce() throws {
        let first = try loadOrCreate()
        let second = try CertificateAuthority.rotate(directory: directory, userAtHost: "me@here", now: realTime)
        #expect(second.fingerprintSHA256 != first.fingerprintSHA256)
        #expect(try loadOrCreate().fingerprintSHA256 == second.fingerprintSHA256)
        #expect(try folder.mode(of: "deep/ca/ca.key") == 0o600)
        // What a crash in the middle leaves: a key alone.
        try FileManager.default.removeItem(atPath: directory + "/ca.pem")
        let third = try loadOrCreate()
        #expect(third.fingerprintSHA256 != second.fingerprintSHA256)
    }

    @Test func givesRacersTheSameCA() async throws {
        let directory = directory
        let fingerprints = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    try CertificateAuthority.loadOrCreate(
                        directory: directory, userAtHost: "me@here", now: realTime
                    ).fingerprintSHA256
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(fingerprints.count == 1)
    }

    @Test(arguments: [0o640, 0o604, 0o644, 0o620]) func refusesAKeyThatOthersMayRead(_ mode: Int) throws {
        _ = try loadOrCreate()
        let key = directory + "/ca.key"
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
        #expect { try loadOrCreate() } throws: { error in
            let error = error as? CAError
            return error?.code == .keyReadableByOthers && error?.message.contains("chmod 600 \(key)") == true
        }
    }

    @Test func makesTheCAAnewWhenACrashLeftAKeyAlone() throws {
        _ = try loadOrCreate()
        try FileManager.default.removeItem(atPath: directory + "/ca.pem")
        let authority = try loadOrCreate()
        #expect(authority.commonName.hasPrefix("Playhead local CA (me@here) "))
    }

    @Test func doesNotReplaceACertificateWhoseKeyIsLost() throws {
        _ = try loadOrCreate()
        try FileManager.default.removeItem(atPath: directory + "/ca.key")
        #expect(code { _ = try loadOrCreate() } == .notFound)
        #expect(FileManager.default.fileExists(atPath: directory + "/ca.pem"))
    }

    @Test func refusesTheKeyOfAnotherCA() throws {
        _ = try loadOrCreate()
        let other = try CertificateAuthority.ephemeral(userAtHost: "me@here", now: realTime)
        let key = directory + "/ca.key"
        try Data(other.key.pem.utf8).write(to: URL(fileURLWithPath: key))
        #expect(code { _ = try loadOrCreate() } == .mismatch)
    }

    @Test func refusesWhatCannotBeACA() async throws {
        let (certificate, key) = (folder.path + "/c.pem", folder.path + "/c.key")
        func refusal(_ arguments: [String]) async throws -> String {
            let made = try await run(
                "openssl",
                ["req", "-x509", "-nodes", "-subj", "/CN=x", "-keyout", key, "-out", certificate] + arguments)
            #expect(made.status == 0, "\(made.output)")
            do {
                _ = try CertificateAuthority.load(certificateFile: certificate, keyFile: key)
                return "accepted"
            } catch {
                return "\(error)"
            }
        }
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        #expect(try await refusal(curve + ["-addext", "basicConstraints=CA:FALSE"]).contains("CA:TRUE"))
        #expect(try await refusal(curve + ["-addext", "keyUsage=digitalSignature"]).contains("keyCertSign"))
        #expect(try await refusal(["-newkey", "rsa:1024"]).contains("fewer than 2048"))
        #expect(try await refusal(["-newkey", "ed25519"]).contains("neither EC nor RSA"))
        #expect(try await refusal(curve) == "accepted")
        try Data("rubbish".utf8).write(to: URL(fileURLWithPath: key))
        #expect(code { _ = try CertificateAuthority.load(certificateFile: certificate, keyFile: key) } == .invalid)
    }

    @Test func neverAsksForThePasswordOfAnEncryptedKey() async throws {
        let (certificate, key) = (folder.path + "/c.pem", folder.path + "/c.key")
        let arguments = ["req", "-x509", "-newkey", "rsa:2048", "-passout", "pass:secret", "-subj", "/CN=x"]
        _ = try await run("openssl", arguments + ["-keyout", key, "-out", certificate])
        #expect(code { _ = try CertificateAuthority.load(certificateFile: certificate, keyFile: key) } == .invalid)
    }

    @Test func agreesWithOpenSSLAboutNamesAndDigests() async throws {
        let authority = try loadOrCreate()
        let file = directory + "/ca.pem"
        func openssl(_ what: String...) async throws -> String {
            try await run("openssl", ["x509", "-in", file, "-noout"] + what).output
        }
        #expect(try await openssl("-fingerprint", "-sha256").contains("=\(authority.fingerprintSHA256)\n"))
        #expect(try await openssl("-subject_hash") + ".0" == "\(authority.subjectHashFileName.dropLast(2))\n.0")
        #expect(try await openssl("-subject_hash_old") == "\(authority.subjectHashOldFileName.dropLast(2))\n")
        #expect(authority.notAfter == realTime + (3650 - 3) * 86_400)
    }
}
