import Foundation

/// The request body, for answers that cover it.
enum DigestBody: Sendable {
    /// The body to send; nil for a request without one.
    case known(Data?)
    /// A body that is not known in advance.
    case unknown
}

extension HopRequest {
    /// The body for a digest. One that is not in memory is not read for it.
    var digestBody: DigestBody { bodySource == nil || body != nil ? .known(body) : .unknown }
}

/// The answer to a Digest challenge for one request.
struct DigestAnswer: Sendable {
    /// The value of the `Authorization` field.
    let fieldValue: String
    let nonce: FieldText
    /// The nonce count `nc`, eight digits (RFC 7616 section 3.4).
    let nonceCount: String
    let qop: DigestChallenge.QOP?
    /// The request target that it covers.
    let target: String
}

extension DigestAnswer: CustomStringConvertible, CustomReflectable {
    var description: String { "DigestAnswer(\(Redaction.mark))" }

    var customMirror: Mirror { Mirror(self, children: ["fieldValue": Redaction.mark, "nonceCount": nonceCount], displayStyle: .struct) }
}

/// The result of checking `rspauth`.
enum DigestVerification: Sendable, Equatable {
    /// The server knows the password.
    case verified
    /// The server does not know the password, or the response was modified.
    case mismatch
    /// There was nothing to check.
    case notChecked
}
