extension OpenAPIDocument {
    /// What is answered.
    static let answerSchemas = #"""
        "Problem": {
          "type": "object",
          "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": {"type": "string"}
          },
          "required": ["type", "title", "status", "detail"],
          "additionalProperties": false
        },
        "Counts": {
          "type": "object",
          "properties": {
            "replayed": {"type": "integer", "minimum": 0},
            "recorded": {"type": "integer", "minimum": 0},
            "missed": {"type": "integer", "minimum": 0},
            "tunnelled": {"type": "integer", "minimum": 0},
            "ignored": {"type": "integer", "minimum": 0},
            "failed": {"type": "integer", "minimum": 0},
            "failed_tls": {"type": "integer", "minimum": 0},
            "unused": {"type": "integer", "minimum": 0},
            "discarded": {"type": "integer", "minimum": 0},
            "dropped": {"type": "integer", "minimum": 0}
          },
          "required": ["replayed", "recorded", "missed", "tunnelled", "ignored", "failed", "failed_tls", "unused"],
          "additionalProperties": false
        },
        "Status": {
          "type": "object",
          "properties": {
            "version": {"type": "string"},
            "ready": {"type": "boolean"},
            "started_at": {"type": "string", "format": "date-time"},
            "uptime_ms": {"type": "integer", "minimum": 0},
            "listen": {"type": "array", "items": {"type": "string"}},
            "connections": {"type": "integer", "minimum": 0},
            "sessions": {"type": "integer", "minimum": 0},
            "counts": {"$ref": "#/components/schemas/Counts"}
          },
          "required": [
            "version",
            "ready",
            "started_at",
            "uptime_ms",
            "listen",
            "connections",
            "sessions",
            "counts"
          ],
          "additionalProperties": false
        },
        "Session": {
          "type": "object",
          "properties": {
            "id": {"type": "string"},
            "kind": {"type": "string", "enum": ["default", "named", "leased"]},
            "cassette": {"type": "string"},
            "file": {"type": "string"},
            "mode": {"$ref": "#/components/schemas/Mode"},
            "explanation": {"type": "string"},
            "proxy_url": {"type": "string"},
            "port": {"type": "integer", "minimum": 1, "maximum": 65535},
            "exchanges": {"type": "integer", "minimum": 0},
            "play_count": {"type": "integer", "minimum": 0},
            "all_played": {"type": "boolean"},
            "is_new": {"type": "boolean"},
            "is_write_protected": {"type": "boolean"},
            "counts": {"$ref": "#/components/schemas/Counts"}
          },
          "required": [
            "id",
            "kind",
            "cassette",
            "file",
            "mode",
            "explanation",
            "proxy_url",
            "exchanges",
            "play_count",
            "all_played",
            "is_new",
            "is_write_protected",
            "counts"
          ],
          "additionalProperties": false
        },
        "CassettePage": {
          "type": "object",
          "properties": {
            "name": {"type": "string"},
            "recorded_with": {"type": "string"},
            "count": {"type": "integer", "minimum": 0},
            "exchanges": {
              "type": "array",
              "items": {
                "type": "object",
                "properties": {
                  "id": {"type": "string"},
                  "number": {"type": "integer", "minimum": 1},
                  "recorded_at": {"type": "string", "format": "date-time"},
                  "method": {"type": "string"},
                  "url": {"type": "string"},
                  "request_octets": {"type": "integer", "minimum": 0},
                  "status": {"type": "integer", "minimum": 100, "maximum": 999},
                  "response_octets": {"type": "integer", "minimum": 0},
                  "failure": {"type": "string"},
                  "total_ms": {"type": "integer", "minimum": 0}
                },
                "required": ["id", "number", "recorded_at", "method", "url", "request_octets"],
                "additionalProperties": false
              }
            },
            "next": {"type": "integer", "minimum": 0}
          },
          "required": ["name", "recorded_with", "count", "exchanges"],
          "additionalProperties": false
        },
        "Candidate": {
          "type": "object",
          "properties": {
            "exchange": {"type": "string"},
            "number": {"type": "integer", "minimum": 1},
            "method": {"type": "string"},
            "url": {"type": "string"},
            "already_played_at": {"type": "integer", "minimum": 0},
            "differences": {
              "type": "array",
              "items": {
                "type": "object",
                "properties": {
                  "part": {"type": "string"},
                  "recorded": {"type": "string"},
                  "requested": {"type": "string"}
                },
                "required": ["part"],
                "additionalProperties": false
              }
            }
          },
          "required": ["exchange", "number", "method", "url", "differences"]
        },
        "Miss": {
          "type": "object",
          "properties": {
            "session": {"type": "string"},
            "id": {"type": "string"},
            "reason": {"type": "string"},
            "cause": {"type": "string"},
            "cassette": {"type": "string"},
            "mode": {"type": "string"},
            "request": {
              "type": "object",
              "properties": {"method": {"type": "string"}, "url": {"type": "string"}},
              "required": ["method", "url"],
              "additionalProperties": false
            },
            "nearest": {"type": "array", "items": {"$ref": "#/components/schemas/Candidate"}},
            "suggested_rule": {"type": "string"},
            "record_command": {"type": "string"}
          },
          "required": ["reason", "cause", "cassette", "mode", "request", "nearest", "record_command"],
          "additionalProperties": false
        },
        "Report": {
          "type": "object",
          "properties": {
            "version": {"type": "integer", "enum": [1]},
            "cassette": {"type": "string"},
            "replayed": {"type": "integer", "minimum": 0},
            "recorded": {"type": "integer", "minimum": 0},
            "missed": {"type": "integer", "minimum": 0},
            "tunnelled": {"type": "integer", "minimum": 0},
            "ignored": {"type": "integer", "minimum": 0},
            "failed": {"type": "integer", "minimum": 0},
            "failed_tls": {"type": "integer", "minimum": 0},
            "unused": {"type": "integer", "minimum": 0},
            "discarded": {"type": "integer", "minimum": 0},
            "dropped": {"type": "integer", "minimum": 0},
            "recording_failure": {"type": "string"},
            "replay_failure": {"type": "string"},
            "warnings": {"type": "array", "items": {"type": "string"}},
            "misses": {"type": "array", "items": {"$ref": "#/components/schemas/Miss"}},
            "exchanges": {"type": "array", "items": {"type": "object"}},
            "secrets": {"type": "integer", "minimum": 0},
            "mocked": {"type": "integer", "minimum": 0}
          },
          "required": [
            "version",
            "replayed",
            "recorded",
            "missed",
            "tunnelled",
            "ignored",
            "failed",
            "failed_tls",
            "unused",
            "warnings",
            "misses",
            "exchanges"
          ],
          "additionalProperties": false
        },
        "ExchangeSummary": {
          "type": "object",
          "properties": {
            "number": {"type": "integer", "minimum": 1},
            "at": {"type": "string", "format": "date-time"},
            "session": {"type": "string"},
            "cassette": {"type": "string"},
            "outcome": {
              "type": "string",
              "enum": ["replayed", "recorded", "missed", "ignored", "mocked", "faulted"]
            },
            "method": {"type": "string"},
            "url": {"type": "string"},
            "exchange": {"type": "string"},
            "status": {"type": "integer", "minimum": 100, "maximum": 999},
            "failure": {"type": "string"},
            "request_octets": {"type": "integer", "minimum": 0},
            "response_octets": {"type": "integer", "minimum": 0},
            "total_ms": {"type": "integer", "minimum": 0},
            "miss": {"type": "string"},
            "fault": {"type": "string"}
          },
          "required": ["number", "at", "session", "cassette", "outcome", "method", "url"],
          "additionalProperties": false
        },
        "BodyLink": {
          "type": "object",
          "properties": {
            "href": {"type": "string"},
            "octets": {"type": "integer", "minimum": 0},
            "is_truncated": {"type": "boolean"}
          },
          "required": ["href", "octets", "is_truncated"],
          "additionalProperties": false
        },
        "ExchangeDetails": {
          "type": "object",
          "properties": {
            "number": {"type": "integer", "minimum": 1},
            "at": {"type": "string", "format": "date-time"},
            "session": {"type": "string"},
            "cassette": {"type": "string"},
            "outcome": {
              "type": "string",
              "enum": ["replayed", "recorded", "missed", "ignored", "mocked", "faulted"]
            },
            "method": {"type": "string"},
            "url": {"type": "string"},
            "exchange": {"type": "string"},
            "status": {"type": "integer", "minimum": 100, "maximum": 999},
            "failure": {"type": "string"},
            "request_octets": {"type": "integer", "minimum": 0},
            "response_octets": {"type": "integer", "minimum": 0},
            "total_ms": {"type": "integer", "minimum": 0},
            "miss": {"type": "string"},
            "fault": {"type": "string"},
            "request": {
              "type": "object",
              "properties": {
                "version": {"type": "string"},
                "headers": {
                  "type": "array",
                  "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "string"}}
                },
                "body": {"$ref": "#/components/schemas/BodyLink"}
              },
              "required": ["version", "headers"],
              "additionalProperties": false
            },
            "response": {
              "type": "object",
              "properties": {
                "status": {"type": "integer", "minimum": 100, "maximum": 999},
                "reason": {"type": "string"},
                "version": {"type": "string"},
                "headers": {
                  "type": "array",
                  "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "string"}}
                },
                "body": {"$ref": "#/components/schemas/BodyLink"}
              },
              "required": ["status", "reason", "version", "headers"],
              "additionalProperties": false
            },
            "failure_message": {"type": "string"},
            "frames": {"type": "integer", "minimum": 0},
            "report": {"$ref": "#/components/schemas/Miss"}
          },
          "required": ["number", "at", "session", "cassette", "outcome", "method", "url"],
          "additionalProperties": false
        },
        "Mock": {
          "type": "object",
          "properties": {
            "session": {"type": "string"},
            "method": {"type": "string"},
            "host": {"type": "string"},
            "path": {"type": "string"},
            "status": {"type": "integer", "minimum": 200, "maximum": 999},
            "octets": {"type": "integer", "minimum": 0},
            "delay_ms": {"type": "integer", "minimum": 0, "maximum": 86400000},
            "times": {"type": "integer", "minimum": 1, "maximum": 2147483647},
            "hits": {"type": "integer", "minimum": 0}
          },
          "required": ["status", "octets", "hits"],
          "additionalProperties": false
        },
        "Fault": {
          "type": "object",
          "properties": {
            "session": {"type": "string"},
            "method": {"type": "string"},
            "host": {"type": "string"},
            "path": {"type": "string"},
            "kind": {"type": "string", "enum": ["delay", "status", "close", "reset", "hang"]},
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "delay_ms": {"type": "integer", "minimum": 0, "maximum": 86400000},
            "probability": {"type": "number", "minimum": 0, "maximum": 1},
            "times": {"type": "integer", "minimum": 1, "maximum": 2147483647},
            "hits": {"type": "integer", "minimum": 0}
          },
          "required": ["kind", "hits"],
          "additionalProperties": false
        }
        """#
}
