extension OpenAPIDocument {
    /// Mocks and faults.
    static let stagingPaths = #"""
        "/api/v1/mocks": {
          "get": {
            "operationId": "listMocks",
            "summary": "The mocks, in the order in which they are asked",
            "tags": ["staging"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {"mocks": {"type": "array", "items": {"$ref": "#/components/schemas/Mock"}}},
                      "required": ["mocks"],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          },
          "put": {
            "operationId": "setMocks",
            "summary": "Sets the mocks in place of those that are set",
            "tags": ["staging"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {"mocks": {"type": "array", "items": {"$ref": "#/components/schemas/Mock"}}},
                      "required": ["mocks"],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"},
              "422": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {
                  "schema": {
                    "type": "object",
                    "properties": {
                      "mocks": {
                        "type": "array",
                        "maxItems": 1000,
                        "items": {"$ref": "#/components/schemas/MockRequest"}
                      }
                    },
                    "required": ["mocks"],
                    "additionalProperties": false
                  }
                }
              }
            }
          }
        },
        "/api/v1/faults": {
          "get": {
            "operationId": "listFaults",
            "summary": "The faults, in the order in which they are asked",
            "tags": ["staging"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {"faults": {"type": "array", "items": {"$ref": "#/components/schemas/Fault"}}},
                      "required": ["faults"],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            }
          },
          "put": {
            "operationId": "setFaults",
            "summary": "Sets the faults in place of those that are set",
            "tags": ["staging"],
            "responses": {
              "200": {
                "description": "Done.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {"faults": {"type": "array", "items": {"$ref": "#/components/schemas/Fault"}}},
                      "required": ["faults"],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"},
              "422": {"$ref": "#/components/responses/Problem"},
              "default": {"$ref": "#/components/responses/Problem"}
            },
            "requestBody": {
              "required": true,
              "content": {
                "application/json": {
                  "schema": {
                    "type": "object",
                    "properties": {
                      "faults": {
                        "type": "array",
                        "maxItems": 1000,
                        "items": {"$ref": "#/components/schemas/FaultRequest"}
                      }
                    },
                    "required": ["faults"],
                    "additionalProperties": false
                  }
                }
              }
            }
          }
        }
        """#
}
