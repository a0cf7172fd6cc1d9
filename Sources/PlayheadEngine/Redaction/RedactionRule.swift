/// What one redaction rule takes for a secret; a rule can be switched off by its name.
public struct RedactionRule: Sendable, Hashable {
    /// The name; it stands in the placeholder and in `--no-redact`.
    public var name: String
    /// Header names, in lower case.
    public var headers: [String]
    /// Words that make any header name that holds one of them secret, in lower case.
    public var headerWords: [String]
    /// Names of query parameters and form fields; letter case, `-` and `_` do not count.
    public var queryNames: [String]
    /// Keys of JSON, form, multipart and XML bodies at any depth; letter case, `-` and `_` do not count.
    public var bodyKeys: [String]
    /// Endings of such keys, as in `webhook_secret`.
    public var bodyKeyEndings: [String]
    /// Tokens that are known by their look, anywhere in text.
    public var shapes: [TokenShape]
    /// A value shorter than this is none, in octets: `code=US` is a country.
    public var minimumLength: Int

    /// Creates a rule.
    public init(
        name: String, headers: [String] = [], headerWords: [String] = [], queryNames: [String] = [],
        bodyKeys: [String] = [], bodyKeyEndings: [String] = [], shapes: [TokenShape] = [], minimumLength: Int = 1
    ) {
        self.name = name
        self.headers = headers
        self.headerWords = headerWords
        self.queryNames = queryNames
        self.bodyKeys = bodyKeys
        self.bodyKeyEndings = bodyKeyEndings
        self.shapes = shapes
        self.minimumLength = minimumLength
    }
}

extension RedactionRule {
    /// The rules that are on unless the user switches one off (hardening.md, "Redacted by default").
    public static let standard: [RedactionRule] = [
        RedactionRule(
            name: "authorization",
            headers: [
                "authorization", "proxy-authorization", "authentication-info", "proxy-authentication-info",
                "x-ms-copy-source-authorization",
            ],
            headerWords: ["auth"], bodyKeys: ["authorization"]),
        RedactionRule(name: "set-cookie", headers: ["set-cookie", "set-cookie2"]),
        RedactionRule(name: "cookie", headers: ["cookie", "cookie2"], headerWords: ["cookie"]),
        RedactionRule(
            name: "token",
            headers: [
                "x-auth-token", "x-access-token", "x-amz-security-token", "x-goog-iam-authorization-token",
                "private-token", "job-token", "x-vault-token", "x-csrf-token", "x-xsrf-token",
                "x-shopify-access-token",
            ],
            headerWords: ["token", "jwt"],
            queryNames: ["access_token", "id_token", "refresh_token", "token", "auth_token", "X-Amz-Security-Token"],
            bodyKeys: ["access_token", "refresh_token", "id_token", "token", "session_token", "auth_token"],
            bodyKeyEndings: ["access_token", "refresh_token", "id_token", "auth_token", "session_token"]),
        RedactionRule(
            name: "api-key",
            headers: [
                "x-api-key", "api-key", "apikey", "x-goog-api-key", "ocp-apim-subscription-key", "aeg-sas-key",
                "x-functions-key", "dd-api-key", "dd-application-key",
            ],
            headerWords: ["api-key", "apikey", "api_key"], queryNames: ["api_key", "apikey", "x-api-key"],
            bodyKeys: ["api_key", "x-api-key", "primaryKey", "secondaryKey"], bodyKeyEndings: ["api_key"]),
        RedactionRule(
            name: "password", headerWords: ["password", "passwd"], queryNames: ["password", "passwd", "pwd"],
            bodyKeys: ["password", "passwd", "pwd"], bodyKeyEndings: ["password", "passwd"]),
        RedactionRule(
            name: "secret", headerWords: ["secret"], queryNames: ["client_secret", "secret"],
            bodyKeys: [
                "secret", "client_secret", "private_key", "connectionString", "AccountKey", "SharedAccessKey",
                "SecretAccessKey", "secret_key",
            ],
            bodyKeyEndings: ["secret", "secret_key", "private_key", "SecretAccessKey"]),
        RedactionRule(
            name: "signature", headerWords: ["signature"],
            queryNames: ["sig", "signature", "X-Amz-Signature", "X-Goog-Signature"]),
        RedactionRule(
            name: "credential", headerWords: ["credential"],
            queryNames: ["X-Amz-Credential", "X-Goog-Credential", "credentials"],
            bodyKeys: ["credentials", "credential"]),
        RedactionRule(name: "session", headerWords: ["session"], queryNames: ["session_token"]),
        RedactionRule(name: "assertion", queryNames: ["client_assertion", "assertion", "SAMLResponse", "SAMLRequest"]),
        RedactionRule(name: "code", queryNames: ["code"], minimumLength: 8),
        RedactionRule(name: "userinfo", shapes: [.userinfo]),
        RedactionRule(name: "basic-credentials", shapes: [.basicCredentials]),
        RedactionRule(name: "azure-key", shapes: [.sharedAccessSignature, .azureKey]),
        RedactionRule(name: "jwt", shapes: [.jwt]),
        RedactionRule(name: "private-key", shapes: [.privateKey]),
        RedactionRule(name: "aws-key", shapes: [.awsAccessKey]),
        RedactionRule(name: "github-token", shapes: [.github]),
        RedactionRule(name: "gitlab-token", shapes: [.gitlab]),
        RedactionRule(name: "slack-token", shapes: [.slack]),
        RedactionRule(name: "stripe-key", shapes: [.stripe]),
        RedactionRule(name: "sk-key", shapes: [.sk]),
        RedactionRule(name: "google-key", shapes: [.googleKey]),
        RedactionRule(name: "google-token", shapes: [.googleToken]),
        RedactionRule(name: "npm-token", shapes: [.npm]),
        RedactionRule(name: "pypi-token", shapes: [.pypi]),
    ]
}
