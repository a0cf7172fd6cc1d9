extension OpenAPIDocument {
    /// Cassettes, misses and the report.
    static let recordingsPaths = #"""
        "/api/v1/cassettes": {
          "get": {
            "operationId": "listCassettes",
            "summary": "The cassettes in the folder",
            "tags": ["recordings"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {
                        "cassettes": {
                          "type": "array",
                          "items": {
                            "type": "object",
                            "properties": {
                              "name": {"type": "string"},
                              "format": {"type": "string", "enum": ["yaml", "json", "plist"]},
                              "file": {"type": "string"}
                            },
                            "required": ["name", "format", "file"],
                            "additionalProperties": false
                          }
                        }
                      },
                      "required": ["cassettes"],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/api/v1/cassettes/{name}": {
          "get": {
            "operationId": "getCassette",
            "summary": "One cassette as it lies on the disk, page by page",
            "tags": ["recordings"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CassettePage"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "409": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
              {
                "name": "name",
                "in": "path",
                "required": true,
                "description": "The cassette's name, with slashes escaped.",
                "schema": {"type": "string", "minLength": 1}
              },
              {
                "name": "limit",
                "in": "query",
                "description": "How many exchanges.",
                "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
              },
              {
                "name": "after",
                "in": "query",
                "description": "How many to pass over: next of the page before.",
                "schema": {"type": "integer", "minimum": 0, "maximum": 2147483647, "default": 0}
              }
            ]
          }
        },
        "/api/v1/misses": {
          "get": {
            "operationId": "listMisses",
            "summary": "Requests that no recording answered",
            "tags": ["recordings"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {"misses": {"type": "array", "items": {"$ref": "#/components/schemas/Miss"}}},
                      "required": ["misses"],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
              {
                "name": "session",
                "in": "query",
                "description": "Only those of the session with this id.",
                "schema": {"type": "string"}
              }
            ]
          }
        },
        "/api/v1/report": {
          "get": {
            "operationId": "getReport",
            "summary": "What all sessions came to so far",
            "tags": ["recordings"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Report"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "409": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
              {
                "name": "secrets",
                "in": "query",
                "description": "Whether to count the secrets in the cassettes.",
                "schema": {"type": "boolean", "default": false}
              }
            ]
          }
        }
        """#
}
