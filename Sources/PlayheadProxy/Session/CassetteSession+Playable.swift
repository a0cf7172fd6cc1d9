import NIOCore
package import PlayheadCassette
import PlayheadEngine

extension CassetteSession {
    /// The exchanges as they are played: with the values of the variables that `secrets_from_env` names, and with the
    /// values of `json_overrides`.
    ///
    /// Done once at opening, so replaying costs nothing more. Request bodies are there to be compared. A side file that is changed by it is played from memory.
    package static func playable(_ cassette: Cassette, _ options: SessionOptions) throws -> [Exchange] {
        let exchanges = cassette.exchanges.withRequestBodies(at: options.location)
        let secrets = options.redactor.secrets
        let isTemplated = Self.changes(cassette, options).templates != nil
        guard !secrets.isEmpty || !options.overrides.isEmpty || isTemplated else { return exchanges }
        return try exchanges.map { exchange in
            let live = options.overrides.applied(to: secrets.restored(exchange))
            guard case .response(var response) = exchange.outcome, case .file = response.body.content else {
                return live
            }
            var whole = exchange
            let octets = try response.body.octets(at: options.location)
            response.body.content = .octets(octets)
            whole.outcome = .response(response)
            let changed = options.overrides.applied(to: secrets.restored(whole))
            let hasTemplates = isTemplated && Templates.occurs(in: octets.readableBytesView)
            if !hasTemplates, case .response(let new) = changed.outcome, new.body == response.body { return live }
            return changed
        }
    }

    /// What is changed in each answer of a cassette.
    static func changes(_ cassette: Cassette, _ options: SessionOptions) -> ReplayChanges {
        var changes = options.changes
        guard options.templated || cassette.metadata["templates"] == "true" else {
            changes.templates = nil
            return changes
        }
        changes.templates = changes.templates ?? Templates()
        return changes
    }

    /// What the user should know about the options.
    static func notices(about options: SessionOptions) -> [String] {
        let secrets = options.redactor.secrets
        let idle =
            options.mode == .intercept && options.overrides.isEmpty
            ? ["mode intercept has no values to put into responses; give --json-override KEY=VALUE"] : []
        let unset = secrets.unset.map {
            "the variable \($0) of secrets_from_env is not set: {{\($0)}} matches any value, and stays in responses."
        }
        let tooShort = secrets.tooShort.map {
            "the variable \($0) of secrets_from_env has fewer than \(KnownSecrets.minimumLength) octets, "
                + "so it is not looked for."
        }
        return idle + unset + tooShort
    }
}
