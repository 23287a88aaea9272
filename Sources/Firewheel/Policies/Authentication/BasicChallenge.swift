import Foundation

/// A challenge of the Basic scheme (RFC 7617).
struct BasicChallenge: Sendable, Hashable {
    /// Empty if the server omits it, though it is required: curl and browsers answer such a challenge too.
    let realm: FieldText
    /// Whether the server declares UTF-8 (`charset`, section 2.1). Otherwise UTF-8 is sent too, as in browsers.
    let isUTF8: Bool

    /// nil for a challenge of another scheme.
    init?(_ challenge: Challenge) {
        guard challenge.scheme == "basic", !challenge.isOversized else { return nil }
        realm = challenge.parameters["realm"] ?? FieldText("")
        isUTF8 = challenge.parameters["charset"]?.isKeyword("utf-8") == true
    }

    /// The value of the `Authorization` field.
    func fieldValue(username: String, password: String) throws(CredentialProblem) -> String {
        if username.utf8.contains(UInt8(ascii: ":")) { throw .colonInUsername }
        try CredentialProblem.checkControlCharacters("user name", username)
        try CredentialProblem.checkControlCharacters("password", password)
        let text = "\(username):\(password)"
        // In normalization form C, as section 2.1 requires.
        return "Basic " + Data((isUTF8 ? text.precomposedStringWithCanonicalMapping : text).utf8).base64EncodedString()
    }
}
