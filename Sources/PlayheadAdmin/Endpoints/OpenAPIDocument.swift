/// The description of the admin API: OpenAPI 3.0.3, as `GET /api/v1/openapi.json` answers it.
///
/// `OpenAPIDocumentTests` hold it against the routes: none is missing here, and none is here that is not served.
enum OpenAPIDocument {
    static let text = """
        {
        \(head),
        "paths": {
        \([processPaths, sessionsPaths, exchangesPaths, recordingsPaths, stagingPaths].joined(separator: ",\n"))
        },
        "components": {
        \(shared),
        "schemas": {
        \(requestSchemas),
        \(answerSchemas)
        }
        }
        }
        """

    private static let head = #"""
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
          {"name": "exchanges", "description": "What goes through the proxy now."},
          {"name": "recordings", "description": "Cassettes, misses and the report."},
          {"name": "staging", "description": "Answers and troubles that are made up."}
        ]
        """#

    private static let shared = #"""
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
        }
        """#
}
