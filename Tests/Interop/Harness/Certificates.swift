import Foundation

/// The origin's certificates, made once per test process by the `openssl` command.
enum Certificates {
    static let folder: Result<String, any Error> = Result {
        let folder = FileManager.default.temporaryDirectory.path + "/playhead-interop-certificates-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = try Tool.need("openssl")
        guard Tool.output(of: ["sh", Playhead.resource("Origin/certificates.sh"), folder]) != nil else {
            throw HarnessError("Origin/certificates.sh could not make the origin's certificates in \(folder)")
        }
        atexit {
            if case .success(let folder) = Certificates.folder { try? FileManager.default.removeItem(atPath: folder) }
        }
        return folder
    }

    static func file(_ name: String) throws -> String { try self.folder.get() + "/" + name }
}
