import ArgumentParser
import PlayheadAdmin
import PlayheadProxy

/// `playhead healthcheck`: whether a `serve` is ready, for a container's health check.
struct HealthcheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Exit 0 when a running `serve` is ready, 1 otherwise.",
        discussion: """
            Asks /readyz of the admin API that the variables and playhead.yaml of this place describe; without an admin \
            API (--admin off), whether the proxy gives out its CA certificate. Needs no token.

            EXAMPLES
              playhead healthcheck
              playhead healthcheck --url http://127.0.0.1:8081
              HEALTHCHECK CMD ["playhead", "healthcheck"]
            """)

    @Option(
        help: ArgumentHelp(
            "The admin API's URL. (default: of the setting admin, else http://127.0.0.1:8081)", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("How long the answer may take.", valueName: "duration"))
    var timeout: String = "5s"

    func run() async throws {
        try await CommandBoundary.run {
            guard let milliseconds = ValueParsers.milliseconds(self.timeout) else {
                throw CommandFailure(.usage, "--timeout is \(self.timeout); it takes a duration such as 5s.")
            }
            let host = HostEnvironment.current()
            let settings = try Settings.load(flags: [:], configFile: nil, host: host)
            let seconds = Int(clamping: max(1, (milliseconds + 999) / 1000))
            let isOff = self.url == nil && settings.text(.admin) == "off"
            let url = try isOff ? EnvCommand.proxyURL(settings) : self.url ?? AdminPlace.url(settings)
            guard let client = AdminClient(url: url, timeoutSeconds: seconds) else {
                throw CommandFailure(.usage, "\(url) is no http URL.")
            }
            let answer: AdminClient.Answer
            do {
                answer = try await client.get(isOff ? "http://playhead.internal/ca.pem" : "/readyz")
            } catch {
                throw CommandFailure(.failure, "\(error)")
            }
            guard answer.status == 200 else {
                throw CommandFailure(.failure, "\(url) answers \(answer.status): not ready.")
            }
            Terminal.result("ready")
        }
    }
}
