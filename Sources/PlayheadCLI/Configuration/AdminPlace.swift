import PlayheadAdmin
import PlayheadProxy

/// Where the commands that ask a running `serve` find it, and the token.
enum AdminPlace {
    /// The URL of the admin API that settings describe.
    static func url(_ settings: Settings) throws -> String {
        guard let text = settings.text(.admin) else { return "http://127.0.0.1:8081" }
        guard text != "off" else {
            throw CommandFailure(.usage, "admin is off in \(settings.place(of: .admin)); name the API with --url.")
        }
        guard let address = ValueParsers.listenAddress(text) else {
            throw settings.error(.admin, "is \(text); it takes HOST:PORT or off")
        }
        guard address.port != 0 else {
            throw CommandFailure(
                .usage, "The port that `serve` took for \(text) cannot be known. Name it: --url http://127.0.0.1:PORT")
        }
        return "http://\(address.reachable.description)"
    }

    /// The token: of the variable, of the named file, else of the file that `serve` made for this port.
    static func token(_ setup: SessionSetup, port: Int) throws -> String {
        try TokenFile.text(setup, for: .admin, port: port)
    }
}
