import Foundation

/// The body that an answer may have to cover.
enum DigestBody: Sendable {
    /// The body that is sent; nil for a request without one.
    case known(Data?)
    /// A body that is not known before it is sent.
    case unknown
}

/// The answer to a Digest challenge for one request.
struct DigestAnswer: Sendable {
    /// The value of the `Authorization` field.
    let fieldValue: String
    let nonce: FieldText
    /// Eight digits (RFC 7616 section 3.4, nc).
    let nonceCount: String
    let qop: DigestChallenge.QOP?
    /// The request target that it is for.
    let target: String
}

extension DigestAnswer: CustomStringConvertible, CustomReflectable {
    var description: String { "DigestAnswer(\(Redaction.mark))" }

    var customMirror: Mirror { Mirror(self, children: ["fieldValue": Redaction.mark, "nonceCount": nonceCount], displayStyle: .struct) }
}

/// What `rspauth` says about a server.
enum DigestVerification: Sendable, Equatable {
    /// It knows the password.
    case verified
    /// It does not, or somebody changed the response.
    case mismatch
    /// There is nothing that can be checked.
    case notChecked
}
