/// The description of the admin API: OpenAPI 3.0.3, as `GET /api/v1/openapi.json` answers it.
///
/// `OpenAPIDocumentTests` hold it against the routes: none is missing here, and none is here that is not served.
enum OpenAPIDocument {
    static let text = #"""
        {
          "openapi": "3.0.3",
          "info": {
            "title": "Playhead admin API",
            "version": "1",
            "description": "What a running playhead serve does, and its sessions. See docs/admin.md.",
            "license": {"name": "MIT", "url": "https://opensource.org/license/mit"}
          },
          "servers": [{"url": "/"}],
          "security": [{"token": []}],
          "tags": [
            {"name": "process", "description": "The process itself."},
            {"name": "sessions", "description": "Open cassettes."},
            {"name": "recordings", "description": "Cassettes, misses and the report."}
          ],
          "paths": {
            "/healthz": {
              "get": {
                "operationId": "getHealth",
                "summary": "Whether the process serves",
                "tags": ["process"],
                "responses": {
                  "200": {
                    "description": "Done.",
                    "content": {"text/plain": {"schema": {"type": "string"}}}
                  },
                  "default": {"$ref": "#/components/responses/Problem"}
                },
                "security": []
              }
            },
            "/readyz": {
              "get": {
                "operationId": "getReadiness",
                "summary": "Whether all is up and the end has not begun",
                "tags": ["process"],
                "responses": {
                  "200": {
                    "description": "Done.",
                    "content": {"text/plain": {"schema": {"type": "string"}}}
                  },
                  "503": {"$ref": "#/components/responses/Problem"},
                  "default": {"$ref": "#/components/responses/Problem"}
                },
                "security": []
              }
            },
            "/ca.pem": {
              "get": {
                "operationId": "getCertificate",
                "summary": "The CA's certificate",
                "tags": ["process"],
                "responses": {
                  "200": {
                    "description": "Done.",
                    "content": {"application/x-pem-file": {"schema": {"type": "string"}}}
                  },
                  "default": {"$ref": "#/components/responses/Problem"}
                },
                "security": []
              }
            },
            "/metrics": {
              "get": {
                "operationId": "getMetrics",
                "summary": "Counts for Prometheus",
                "tags": ["process"],
                "responses": {
                  "200": {
                    "description": "Done.",
                    "content": {"text/plain": {"schema": {"type": "string"}}}
                  },
                  "401": {"$ref": "#/components/responses/Problem"},
                  "default": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/openapi.json": {
              "get": {
                "operationId": "getDescription",
                "summary": "This description",
                "tags": ["process"],
                "responses": {
                  "200": {
                    "description": "Done.",
                    "content": {"application/json": {"schema": {"type": "object"}}}
                  },
                  "401": {"$ref": "#/components/responses/Problem"},
                  "default": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/status": {
              "get": {
                "operationId": "getStatus",
                "summary": "What runs and what came of it so far",
                "tags": ["process"],
                "responses": {
                  "200": {
                    "description": "Done.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}}
                  },
                  "401": {"$ref": "#/components/responses/Problem"},
                  "default": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
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
                    "headers": {
                      "Location": {"description": "The session's path.", "schema": {"type": "string"}}
                    }
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
                  "content": {
                    "application/json": {"schema": {"$ref": "#/components/schemas/SessionRequest"}}
                  }
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
            },
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
                    "content": {
                      "application/json": {"schema": {"$ref": "#/components/schemas/CassettePage"}}
                    }
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
                          "properties": {
                            "misses": {"type": "array", "items": {"$ref": "#/components/schemas/Miss"}}
                          },
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
                  "401": {"$ref": "#/components/responses/Problem"},
                  "default": {"$ref": "#/components/responses/Problem"}
                }
              }
            }
          },
          "components": {
            "securitySchemes": {
              "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "The text of the file that serve names as admin_token_file."
              }
            },
            "responses": {
              "Problem": {
                "description": "Why not: problem details (RFC 9457).",
                "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
              }
            },
            "schemas": {
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
                  "unused": {"type": "integer", "minimum": 0}
                },
                "required": [
                  "replayed",
                  "recorded",
                  "missed",
                  "tunnelled",
                  "ignored",
                  "failed",
                  "failed_tls",
                  "unused"
                ],
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
              "Mode": {
                "type": "string",
                "enum": ["once", "new_episodes", "none", "all", "rewrite", "passthrough"]
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
                  "recording_failure": {"type": "string"},
                  "warnings": {"type": "array", "items": {"type": "string"}},
                  "misses": {"type": "array", "items": {"$ref": "#/components/schemas/Miss"}},
                  "exchanges": {"type": "array", "items": {"type": "object"}}
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
              }
            }
          }
        }
        """#
}
