import NIOCore
import PlayheadCassette
import PlayheadEngine

extension CassetteSession {
    /// The exchanges as they are played: with the values of the variables that `secrets_from_env` names.
    ///
    /// Done once at opening, so replaying costs nothing more. A side file that holds a mark is played from memory.
    static func playable(_ cassette: Cassette, _ options: SessionOptions) throws -> [Exchange] {
        let secrets = options.redactor.secrets
        guard !secrets.isEmpty else { return cassette.exchanges }
        return try cassette.exchanges.map { exchange in
            var exchange = exchange
            if case .response(var response) = exchange.outcome, case .file = response.body.content {
                let octets = try response.body.octets(at: options.location)
                if secrets.occurs(in: octets.readableBytesView) {
                    response.body.content = .octets(octets)
                    exchange.outcome = .response(response)
                }
            }
            return secrets.restored(exchange)
        }
    }

    /// What the user should know about the variables.
    static func notices(about secrets: KnownSecrets) -> [String] {
        secrets.unset.map {
            "the variable \($0) of secrets_from_env is not set: {{\($0)}} matches any value, and stays in responses."
        }
            + secrets.tooShort.map {
                "the variable \($0) of secrets_from_env has fewer than \(KnownSecrets.minimumLength) octets, "
                    + "so it is not looked for."
            }
    }
}
