import NIOCore
import PlayheadCassette
import PlayheadEngine

extension CassetteSession {
    /// The exchanges as they are played: with the values of the variables that `secrets_from_env` names, and with the
    /// values of `json_overrides`.
    ///
    /// Done once at opening, so replaying costs nothing more. A side file that is changed by it is played from memory.
    static func playable(_ cassette: Cassette, _ options: SessionOptions) throws -> [Exchange] {
        let secrets = options.redactor.secrets
        guard !secrets.isEmpty || !options.overrides.isEmpty else { return cassette.exchanges }
        return try cassette.exchanges.map { exchange in
            let live = options.overrides.applied(to: secrets.restored(exchange))
            guard case .response(var response) = exchange.outcome, case .file = response.body.content else {
                return live
            }
            var whole = exchange
            response.body.content = .octets(try response.body.octets(at: options.location))
            whole.outcome = .response(response)
            let changed = options.overrides.applied(to: secrets.restored(whole))
            if case .response(let new) = changed.outcome, new.body == response.body { return live }
            return changed
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
