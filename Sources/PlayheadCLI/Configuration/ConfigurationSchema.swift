/// The JSON Schema of `playhead.yaml`, for editors and checks; published as `docs/playhead.schema.json`.
enum ConfigurationSchema {
    /// The schema (draft 2020-12), one line for each setting.
    static var text: String {
        var lines = SettingKey.allCases.sorted { $0.rawValue < $1.rawValue }.map { key in
            "    \(JSONText.string(key.rawValue)): \(Self.property(key))"
        }
        lines.append("    \(JSONText.string(FilterSettings.key)): \(Self.filters)")
        return """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "playhead.yaml",
              "description": "The settings of a project that uses playhead; docs/cli.md explains them.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
            \(lines.joined(separator: ",\n"))
              }
            }

            """
    }

    private static func property(_ key: SettingKey) -> String {
        let description = SettingDescription.all[key]
        let item = Self.item(description?.form ?? .text)
        var fields: [(String, String)] = []
        if let summary = description?.summary { fields.append(("description", JSONText.string(summary))) }
        switch key.shape {
        case .list:
            // A text holds the items with commas between them.
            let types = ["string", "array"] + (key == .jsonOverrides ? ["object"] : [])
            fields.append(("type", JSONText.array(types.map(JSONText.string))))
            fields.append(("items", JSONText.object(item)))
            fields.append(("minItems", "1"))
        case .single, .flag: fields += item
        }
        if let standard = description?.standard {
            fields.append(("default", key.shape == .flag ? standard : JSONText.string(standard)))
        }
        return JSONText.object(fields)
    }

    private static func item(_ form: SettingDescription.Form) -> [(String, String)] {
        switch form {
        // YAML reads 8080 as a number; as a setting it is the text of it.
        case .text: [("type", #"["string","number"]"#)]
        case .words(let words): [("enum", JSONText.array(Self.spellings(of: words)))]
        case .duration: [("type", #"["string","integer"]"#), ("pattern", JSONText.string("^[0-9]+(ms|s|m|h|d)?$"))]
        case .pattern(let pattern): [("type", JSONText.string("string")), ("pattern", JSONText.string(pattern))]
        case .flag: [("type", JSONText.string("boolean"))]
        }
    }

    /// YAML 1.1 reads `off` without quotes as false.
    private static func spellings(of words: [String]) -> [String] {
        words.map(JSONText.string) + (words.contains("off") ? ["false"] : [])
    }

    private static var filters: String {
        let kinds = FilterSettings.kinds.map { kind in
            (kind, #"{"type":["object","null"],"additionalProperties":{"type":["string","number","boolean","null"]}}"#)
        }
        return JSONText.object([
            ("description", JSONText.string("What is changed before it is stored or compared; null removes.")),
            ("type", #"["object","null"]"#), ("additionalProperties", "false"),
            ("properties", JSONText.object(kinds)),
        ])
    }
}
