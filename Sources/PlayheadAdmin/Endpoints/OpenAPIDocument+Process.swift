extension OpenAPIDocument {
    /// The process itself.
    static let processPaths = #"""
        "/healthz": {
          "get": {
            "operationId": "getHealth",
            "summary": "Whether the process serves",
            "tags": ["process"],
            "responses": {
              "200": {"description": "Done.", "content": {"text/plain": {"schema": {"type": "string"}}}},
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
              "200": {"description": "Done.", "content": {"text/plain": {"schema": {"type": "string"}}}},
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
              "200": {"description": "Done.", "content": {"text/plain": {"schema": {"type": "string"}}}},
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
              "200": {"description": "Done.", "content": {"application/json": {"schema": {"type": "object"}}}},
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
        }
        """#
}
