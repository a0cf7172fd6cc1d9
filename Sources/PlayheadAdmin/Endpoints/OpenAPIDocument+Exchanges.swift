extension OpenAPIDocument {
    /// What goes through the proxy now.
    static let exchangesPaths = #"""
        "/api/v1/exchanges": {
          "get": {
            "operationId": "listExchanges",
            "summary": "The last exchanges of all sessions, oldest first",
            "tags": ["exchanges"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {
                        "first": {"type": "integer", "minimum": 1},
                        "exchanges": {"type": "array", "items": {"$ref": "#/components/schemas/ExchangeSummary"}},
                        "next": {"type": "integer", "minimum": 0}
                      },
                      "required": ["first", "exchanges"],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
              {
                "name": "session",
                "in": "query",
                "description": "Only those of the session with this id.",
                "schema": {"type": "string"}
              },
              {
                "name": "outcome",
                "in": "query",
                "description": "Only those with this outcome.",
                "schema": {
                  "type": "string",
                  "enum": ["replayed", "recorded", "missed", "ignored", "mocked", "faulted"]
                }
              },
              {
                "name": "method",
                "in": "query",
                "description": "Only those with this method.",
                "schema": {"type": "string"}
              },
              {
                "name": "url",
                "in": "query",
                "description": "Only those whose URL contains this.",
                "schema": {"type": "string"}
              },
              {
                "name": "limit",
                "in": "query",
                "description": "How many.",
                "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
              },
              {
                "name": "after",
                "in": "query",
                "description": "The number to begin after: next of the page before.",
                "schema": {"type": "integer", "minimum": 0, "maximum": 2147483647, "default": 0}
              }
            ]
          }
        },
        "/api/v1/exchanges/{number}": {
          "get": {
            "operationId": "getExchange",
            "summary": "One exchange with its messages, secrets masked",
            "tags": ["exchanges"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ExchangeDetails"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
              {
                "name": "number",
                "in": "path",
                "required": true,
                "description": "The exchange's number in the list.",
                "schema": {"type": "integer", "minimum": 1, "maximum": 2147483647}
              }
            ]
          }
        },
        "/api/v1/exchanges/{number}/body/{side}": {
          "get": {
            "operationId": "getBody",
            "summary": "The octets of a body as the cassette keeps them, secrets masked",
            "tags": ["exchanges"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {
                  "text/plain": {"schema": {"type": "string"}},
                  "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
                }
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "409": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
              {
                "name": "number",
                "in": "path",
                "required": true,
                "description": "The exchange's number in the list.",
                "schema": {"type": "integer", "minimum": 1, "maximum": 2147483647}
              },
              {
                "name": "side",
                "in": "path",
                "required": true,
                "description": "Whose body.",
                "schema": {"type": "string", "enum": ["request", "response"]}
              }
            ]
          }
        },
        "/api/v1/events": {
          "get": {
            "operationId": "getEvents",
            "summary": "Exchanges as they happen, a stream of server-sent events without an end",
            "tags": ["exchanges"],
            "responses": {
              "200": {
                "description": "Events: exchange (an ExchangeSummary) and reset (lost: how many are no longer kept).",
                "content": {"text/event-stream": {"schema": {"type": "string"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "503": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
              {
                "name": "Last-Event-ID",
                "in": "header",
                "description": "The id of the last event that the client has.",
                "schema": {"type": "string", "pattern": "^[ -~]{1,40}$"}
              },
              {
                "name": "last_event_id",
                "in": "query",
                "description": "The same for clients that cannot set a header.",
                "schema": {"type": "string"}
              },
              {
                "name": "session",
                "in": "query",
                "description": "Only those of the session with this id.",
                "schema": {"type": "string"}
              },
              {
                "name": "outcome",
                "in": "query",
                "description": "Only those with this outcome.",
                "schema": {
                  "type": "string",
                  "enum": ["replayed", "recorded", "missed", "ignored", "mocked", "faulted"]
                }
              },
              {
                "name": "method",
                "in": "query",
                "description": "Only those with this method.",
                "schema": {"type": "string"}
              },
              {
                "name": "url",
                "in": "query",
                "description": "Only those whose URL contains this.",
                "schema": {"type": "string"}
              }
            ]
          }
        }
        """#
}
