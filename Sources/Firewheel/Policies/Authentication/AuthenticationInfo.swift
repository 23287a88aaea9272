/// The `Authentication-Info` field of a response to an accepted answer (RFC 7616 section 3.5).
struct AuthenticationInfo: Sendable, Hashable {
    /// The nonce for the next request.
    let nextNonce: FieldText?
    /// Proof that the server knows the password too (`rspauth`).
    let responseAuth: FieldText?
    /// In lower case.
    let qop: String?
    let cnonce: FieldText?
    let nonceCount: FieldText?

    /// - Parameter fields: The values of all `Authentication-Info` fields of a head.
    init(_ fields: [String]) {
        let information = ChallengeParser.parameters(fields)
        let parameters = information.parameters
        nextNonce = parameters["nextnonce"].flatMap { nonce in
            nonce.octets.isEmpty || nonce.hasControlCharacter || information.isOversized ? nil : nonce
        }
        responseAuth = parameters["rspauth"]
        qop = parameters["qop"]?.string.lowercased()
        cnonce = parameters["cnonce"]
        nonceCount = parameters["nc"]
    }
}
