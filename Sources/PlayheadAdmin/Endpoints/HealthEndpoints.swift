import NIOCore

extension AdminService {
    /// The process runs and its admin loop answers.
    func health() -> AdminResponse { .text("ok\n") }

    /// The CA is written, the cassette is read, all listeners are bound, and the end has not begun.
    func readiness() -> AdminResponse {
        guard self.isReady else { return .problem(503, "Not ready: starting or stopping.") }
        return .text("ready\n")
    }

    /// The public certificate of the CA.
    func certificate() -> AdminResponse { .text(self.context.certificatePEM, type: "application/x-pem-file") }
}
