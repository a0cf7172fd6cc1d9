/// Which option would make a near recording answer.
enum RuleSuggestion {
    /// The option, or nil when no ignore rule bridges the difference honestly.
    static func option(for candidate: MissReport.Candidate, _ rules: MatchRules) -> String? {
        var query: [String] = []
        var headers: [String] = []
        var json: [String] = []
        var form: [String] = []
        var dropped: [Matcher] = []
        for difference in candidate.differences {
            switch difference.part {
            // A request for a WebSocket and one for a page are never the same.
            case .header("upgrade"): return nil
            case .query(let name): query.append(name)
            case .header(let name): headers.append(name)
            case .json(let path): json.append(path)
            case .form(let name), .multipart(let name): form.append(name)
            case .scheme: dropped.append(.scheme)
            case .host: dropped.append(.host)
            case .port: dropped.append(.port)
            case .rawBody: dropped.append(.rawBody)
            case .method, .uri, .path, .body, .custom, .message: return nil
            }
        }
        // A rule that names half the request is no advice.
        guard query.count + headers.count + json.count + form.count + dropped.count <= 4 else { return nil }
        var options: [String] = []
        if !query.isEmpty { options.append("--ignore-query \(list(query))") }
        if !headers.isEmpty { options.append("--ignore-header \(list(headers))") }
        if !json.isEmpty { options.append("--ignore-json \(list(json))") }
        if !form.isEmpty { options.append("--ignore-form \(list(form))") }
        if !dropped.isEmpty {
            let kept = rules.required.filter { !dropped.contains($0) }
            guard !kept.isEmpty else { return nil }
            options.append("--match \(kept.map { $0.description }.joined(separator: ","))")
        }
        return options.isEmpty ? nil : options.joined(separator: " ")
    }

    private static func list(_ names: [String]) -> String {
        let text = names.joined(separator: ",")
        let isPlain = text.utf8.allSatisfy {
            lowercased($0) &- 0x61 < 26 || $0 &- 0x30 < 10 || "-_.,".utf8.contains($0)
        }
        return isPlain
            ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
