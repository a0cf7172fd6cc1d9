extension OpenAPIDocument {
    /// Open cassettes.
    static let sessionsPaths = #"""
        "/api/v1/sessions": {
          "get": {
            "operationId": "listSessions",
            "summary": "Every open session",
            "tags": ["sessions"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {
                        "sessions": {"type": "array", "items": {"$ref": "#/components/schemas/Session"}}
                      },
                      "required": ["sessions"],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          },
          "post": {
            "operationId": "leaseSession",
            "summary": "Leases a port to a new session",
            "tags": ["sessions"],
            "responses": {
              "201": {
                "description": "The session is open and its port listens.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Session"}}},
                "headers": {"Location": {"description": "The session's path.", "schema": {"type": "string"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "409": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"},
              "422": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "requestBody": {
              "required": true,
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SessionRequest"}}}
            }
          }
        },
        "/api/v1/sessions/{id}": {
          "get": {
            "operationId": "getSession",
            "summary": "One session",
            "tags": ["sessions"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Session"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
              {
                "name": "id",
                "in": "path",
                "required": true,
                "description": "The session's id, such as default, user:checkout or lease-1.",
                "schema": {"type": "string", "minLength": 1}
              }
            ]
          },
          "delete": {
            "operationId": "endSession",
            "summary": "Ends a leased session and saves its cassette",
            "tags": ["sessions"],
            "responses": {
              "200": {
                "description": "What the session came to.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Report"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "409": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
              {
                "name": "id",
                "in": "path",
                "required": true,
                "description": "The session's id, such as default, user:checkout or lease-1.",
                "schema": {"type": "string", "minLength": 1}
              }
            ]
          }
        },
        "/api/v1/sessions/{id}/rewind": {
          "post": {
            "operationId": "rewindSession",
            "summary": "Lets every recording be played again",
            "tags": ["sessions"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Session"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
              {
                "name": "id",
                "in": "path",
                "required": true,
                "description": "The session's id, such as default, user:checkout or lease-1.",
                "schema": {"type": "string", "minLength": 1}
              }
            ]
          }
        },
        "/api/v1/sessions/{id}/mode": {
          "post": {
            "operationId": "setSessionMode",
            "summary": "Saves a leased session and opens its cassette again in another mode",
            "tags": ["sessions"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Session"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "409": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"},
              "422": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "parameters": [
              {
                "name": "id",
                "in": "path",
                "required": true,
                "description": "The session's id, such as default, user:checkout or lease-1.",
                "schema": {"type": "string", "minLength": 1}
              }
            ],
            "requestBody": {
              "required": true,
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ModeRequest"}}}
            }
          }
        }
        """#
}
