/// The grammar of field names and values, for those who take them from elsewhere than a decoder.
public enum FieldSyntax {
    /// Whether a text is a token and so may be a method or a field name (RFC 9110 section 5.6.2).
    public static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { Octets.isToken($0) }
    }

    /// Whether a text may be a field value or a reason phrase: no CR, LF, NUL or other control but tab
    /// (RFC 9110 section 5.5).
    public static func isFieldValue(_ text: String) -> Bool {
        !text.utf8.contains { Octets.isForbiddenInValue($0) }
    }
}
