/// A way to write variables down.
public enum EnvironmentFormat: String, Sendable, CaseIterable {
    /// `export NAME='value'` for `eval` in a POSIX shell.
    case sh
    /// `set -gx NAME 'value'` for fish.
    case fish
    /// `NAME='value'` for dotenv readers.
    case dotenv
    /// One object; a variable to remove is null.
    case json
    /// Lines for the file that `GITHUB_ENV` names.
    case github
    /// Lines for `docker run --env-file`, which knows no quotes.
    case docker
    /// An `environment:` mapping for a compose file.
    case compose
    /// An `env:` list for a container in a Kubernetes manifest.
    case k8s

    /// The text that makes the change.
    ///
    /// Formats that cannot remove a variable set it to nothing, which proxies' clients read as absent.
    public func render(_ change: EnvironmentChange) -> String {
        render(set: change.set, unset: change.unset)
    }

    /// The text that removes every variable which the change sets.
    public func renderUnset(_ change: EnvironmentChange) -> String {
        render(set: [], unset: change.set.map(\.name))
    }

    private func render(set: [EnvironmentChange.Variable], unset: [String]) -> String {
        switch self {
        case .sh:
            unset.map { "unset \($0)\n" }.joined()
                + set.map { "export \($0.name)=\(ShellText.quoted($0.value))\n" }.joined()
        case .fish:
            unset.map { "set -e \($0)\n" }.joined()
                + set.map { "set -gx \($0.name) \(Self.fishQuoted($0.value))\n" }.joined()
        case .dotenv:
            unset.map { "\($0)=\n" }.joined()
                + set.map { "\($0.name)=\(Self.dotenvQuoted($0.value))\n" }.joined()
        case .json:
            Self.object(
                unset.map { ($0, "null") } + set.map { ($0.name, Self.doubleQuoted($0.value)) })
        case .github:
            unset.map { "\($0)=\n" }.joined() + set.map(Self.githubLine).joined()
        case .docker:
            // A line without `=` would pass the caller's own variable on, so an empty value it is.
            unset.map { "\($0)=\n" }.joined()
                + set.map { "\($0.name)=\($0.value.filter { !$0.isNewline })\n" }.joined()
        case .compose:
            "environment:\n" + unset.map { "  \($0): \"\"\n" }.joined()
                + set.map { "  \($0.name): \(Self.composeQuoted($0.value))\n" }.joined()
        case .k8s:
            "env:\n" + unset.map { "  - name: \($0)\n    value: \"\"\n" }.joined()
                + set.map { "  - name: \($0.name)\n    value: \(Self.kubernetesQuoted($0.value))\n" }.joined()
        }
    }

    private static func fishQuoted(_ value: String) -> String {
        "'" + value.map { $0 == "\\" || $0 == "'" ? "\\\($0)" : String($0) }.joined() + "'"
    }

    /// Single quotes are literal for every reader; a value with one inside needs double quotes and escapes.
    private static func dotenvQuoted(_ value: String) -> String {
        if !value.contains("'") && !value.contains(where: \.isNewline) { return "'\(value)'" }
        let escapes: [Character: String] = ["\\": "\\\\", "\"": "\\\"", "$": "\\$", "\n": "\\n", "\r": "\\r"]
        return "\"" + value.map { escapes[$0] ?? String($0) }.joined() + "\""
    }

    private static func githubLine(_ variable: EnvironmentChange.Variable) -> String {
        guard variable.value.contains(where: \.isNewline) else { return "\(variable.name)=\(variable.value)\n" }
        var border = "PLAYHEAD"
        while variable.value.contains(border) { border += "_" }
        return "\(variable.name)<<\(border)\n\(variable.value)\n\(border)\n"
    }

    /// Compose replaces `$NAME`; a doubled dollar is one dollar.
    private static func composeQuoted(_ value: String) -> String {
        doubleQuoted(value.map { $0 == "$" ? "$$" : String($0) }.joined())
    }

    /// Kubernetes replaces `$(NAME)`; a doubled dollar keeps the text.
    private static func kubernetesQuoted(_ value: String) -> String {
        doubleQuoted(value.replacing("$(", with: "$$("))
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{\n" + members.map { "  \(doubleQuoted($0.0)): \($0.1)" }.joined(separator: ",\n") + "\n}\n"
    }

    /// A JSON string, which is a YAML double-quoted scalar too.
    private static func doubleQuoted(_ value: String) -> String {
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                if scalar.value < 0x20 || scalar.value == 0x7F {
                    let digits = String(scalar.value, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        return text + "\""
    }
}

/// Quoting for a POSIX shell.
enum ShellText {
    /// A word that the shell reads as the value.
    static func quoted(_ value: String) -> String {
        "'" + value.replacing("'", with: "'\\''") + "'"
    }

    /// A word, with quotes only where they are needed.
    static func word(_ value: String) -> String {
        let plain = value.utf8.allSatisfy { unit in
            (0x30...0x39).contains(unit) || (0x41...0x5A).contains(unit) || (0x61...0x7A).contains(unit)
                || "-_./:=,+@%".utf8.contains(unit)
        }
        return plain && !value.isEmpty ? value : quoted(value)
    }
}
