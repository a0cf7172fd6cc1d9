extension OpenAPIDocument {
    /// What is sent.
    static let requestSchemas = #"""
        "Mode": {"type": "string", "enum": ["once", "new_episodes", "none", "all", "rewrite", "passthrough", "intercept"]},
        "SessionRequest": {
          "type": "object",
          "properties": {
            "cassette": {"type": "string", "minLength": 1, "maxLength": 200, "format": "cassette-name"},
            "mode": {"$ref": "#/components/schemas/Mode"},
            "rules": {
              "type": "object",
              "properties": {
                "match": {
                  "type": "array",
                  "minItems": 1,
                  "items": {
                    "type": "string",
                    "enum": [
                      "method",
                      "uri",
                      "scheme",
                      "host",
                      "port",
                      "path",
                      "query",
                      "headers",
                      "body",
                      "raw_body"
                    ]
                  }
                },
                "ignore_query": {"type": "array", "items": {"type": "string"}},
                "ignore_headers": {"type": "array", "items": {"type": "string"}},
                "ignore_json": {"type": "array", "items": {"type": "string", "format": "json-path"}},
                "ignore_form": {"type": "array", "items": {"type": "string"}},
                "repeats": {"type": "string", "enum": ["none", "last", "cycle"]}
              },
              "additionalProperties": false
            }
          },
          "required": ["cassette"],
          "additionalProperties": false
        },
        "ModeRequest": {
          "type": "object",
          "properties": {"mode": {"$ref": "#/components/schemas/Mode"}},
          "required": ["mode"],
          "additionalProperties": false
        },
        "MockRequest": {
          "type": "object",
          "properties": {
            "session": {"type": "string"},
            "method": {"type": "string", "minLength": 1, "format": "http-token"},
            "host": {"type": "string", "minLength": 1, "format": "host-pattern"},
            "path": {"type": "string", "pattern": "^/"},
            "status": {
              "type": "integer",
              "minimum": 200,
              "maximum": 999,
              "default": 200,
              "description": "204, 205 and 304 take no body."
            },
            "headers": {
              "type": "object",
              "additionalProperties": {"type": "string"},
              "description": "Fields but those that frame a message."
            },
            "text": {"type": "string", "description": "The body; one of text, json and base64."},
            "json": {"description": "The body as a JSON value."},
            "base64": {"type": "string", "format": "byte", "description": "The body's octets."},
            "delay_ms": {"type": "integer", "minimum": 0, "maximum": 86400000},
            "times": {"type": "integer", "minimum": 1, "maximum": 2147483647}
          },
          "additionalProperties": false,
          "not": {
            "anyOf": [
              {"required": ["text", "json"]},
              {"required": ["text", "base64"]},
              {"required": ["json", "base64"]},
              {
                "required": ["status"],
                "properties": {"status": {"enum": [204, 205, 304]}},
                "anyOf": [{"required": ["text"]}, {"required": ["json"]}, {"required": ["base64"]}]
              }
            ]
          }
        },
        "FaultRequest": {
          "oneOf": [
            {
              "type": "object",
              "properties": {
                "session": {"type": "string"},
                "method": {"type": "string", "minLength": 1, "format": "http-token"},
                "host": {"type": "string", "minLength": 1, "format": "host-pattern"},
                "path": {"type": "string", "pattern": "^/"},
                "delay_ms": {"type": "integer", "minimum": 1, "maximum": 86400000},
                "probability": {"type": "number", "minimum": 0, "maximum": 1},
                "times": {"type": "integer", "minimum": 1, "maximum": 2147483647},
                "kind": {"type": "string", "enum": ["status"]},
                "status": {"type": "integer", "minimum": 400, "maximum": 599, "default": 503}
              },
              "required": ["kind"],
              "additionalProperties": false
            },
            {
              "type": "object",
              "properties": {
                "session": {"type": "string"},
                "method": {"type": "string", "minLength": 1, "format": "http-token"},
                "host": {"type": "string", "minLength": 1, "format": "host-pattern"},
                "path": {"type": "string", "pattern": "^/"},
                "delay_ms": {"type": "integer", "minimum": 1, "maximum": 86400000},
                "probability": {"type": "number", "minimum": 0, "maximum": 1},
                "times": {"type": "integer", "minimum": 1, "maximum": 2147483647},
                "kind": {"type": "string", "enum": ["delay"]}
              },
              "required": ["kind", "delay_ms"],
              "additionalProperties": false
            },
            {
              "type": "object",
              "properties": {
                "session": {"type": "string"},
                "method": {"type": "string", "minLength": 1, "format": "http-token"},
                "host": {"type": "string", "minLength": 1, "format": "host-pattern"},
                "path": {"type": "string", "pattern": "^/"},
                "delay_ms": {"type": "integer", "minimum": 1, "maximum": 86400000},
                "probability": {"type": "number", "minimum": 0, "maximum": 1},
                "times": {"type": "integer", "minimum": 1, "maximum": 2147483647},
                "kind": {"type": "string", "enum": ["close", "reset", "hang"]}
              },
              "required": ["kind"],
              "additionalProperties": false
            }
          ]
        }
        """#
}
