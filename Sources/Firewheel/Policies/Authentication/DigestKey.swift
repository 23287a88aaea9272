import Foundation

/// A credential's Digest key for one challenge (RFC 7616 section 3.4.2), which makes its answers without the password.
///
/// The key's hash is equivalent to the password in this realm, so no description shows it.
struct DigestKey: Sendable {
    let challenge: DigestChallenge
    /// The nonce for further answers: the challenge's, or a newer one from a response.
    let nonce: FieldText
    /// The client's nonce. Constant for all answers to a challenge: with `-sess` the key covers it, and servers disagree about which one
    /// that is.
    let cnonce: String
    /// H(A1).
    private let hash: String
    /// The parameters that identify the user.
    private let user: String

    /// - Parameter cnonce: See ``randomCnonce()``.
    init(_ challenge: DigestChallenge, username: String, password: String, cnonce: String) throws(CredentialProblem) {
        try CredentialProblem.checkControlCharacters("user name", username)
        try CredentialProblem.checkControlCharacters("password", password)
        let username = challenge.isUTF8 ? username.precomposedStringWithCanonicalMapping : username
        let password = challenge.isUTF8 ? password.precomposedStringWithCanonicalMapping : password
        let name = Array(username.utf8) + Self.colon + challenge.realm.octets
        var hash = try Self.hash(name + Self.colon + Array(password.utf8), with: challenge.algorithm)
        if challenge.isSession {
            hash = try Self.hash(Array("\(hash):".utf8) + challenge.nonce.octets + Array(":\(cnonce)".utf8), with: challenge.algorithm)
        }
        self.challenge = challenge
        nonce = challenge.nonce
        self.cnonce = cnonce
        self.hash = hash
        if challenge.hashesUsername {
            user = "username=\"\(try Self.hash(name, with: challenge.algorithm))\""
        } else if challenge.isUTF8, !username.utf8.allSatisfy({ $0 < 0x80 }) {
            // Section 3.4: text that a quoted string cannot represent is sent in the form of RFC 8187.
            user = "username*=\(Self.extendedValue(username))"
        } else {
            // A server that does not declare UTF-8 may be one of RFC 2617, which knows no other form. curl and browsers send UTF-8, too.
            user = "username=\(FieldText(username).quoted)"
        }
    }

    private init(_ other: DigestKey, nonce: FieldText) {
        challenge = other.challenge
        self.nonce = nonce
        cnonce = other.cnonce
        hash = other.hash
        user = other.user
    }

    /// The key with a new nonce from a response (`nextnonce`). Its nonce count restarts at 1.
    ///
    /// With `-sess` the hash still covers the challenge's nonce (section 3.4.2).
    func with(nonce: FieldText) -> DigestKey { DigestKey(self, nonce: nonce) }

    /// An unpredictable cnonce of 128 bits.
    static func randomCnonce() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return String(decoding: HashAlgorithm.hexadecimal(bytes), as: UTF8.self)
    }

    // MARK: - Answering

    /// The answer for one request.
    ///
    /// - Parameters:
    ///   - method: As sent.
    ///   - target: The request target as sent, including the query; the absolute URI if sent to a proxy.
    ///   - body: Hashed if the challenge offers only `auth-int`.
    ///   - nonceCount: The number of answers with this nonce, including this one. A server may refuse a count that it has seen.
    /// - Throws: ``CredentialProblem``.
    func answer(method: String, target: String, body: DigestBody, nonceCount: UInt32) throws(CredentialProblem) -> DigestAnswer {
        try CredentialProblem.checkControlCharacters("method", method)
        try CredentialProblem.checkControlCharacters("request target", target)
        var qop: DigestChallenge.QOP?
        var second = "\(method):\(target)"
        if challenge.qop.contains(.auth) {
            qop = .auth
        } else if challenge.qop.contains(.authInt) {
            guard case .known(let data) = body else { throw .unknownBody }
            qop = .authInt
            second += ":\(try Self.hash(data ?? Data(), with: challenge.algorithm))"
        }
        let digits = String(nonceCount, radix: 16)
        let count = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        let response = try response(nonce: nonce, count: count, qop: qop, second: second)
        var parameters = [user, "realm=\(challenge.realm.quoted)", "nonce=\(nonce.quoted)", "uri=\(FieldText(target).quoted)"]
        if let qop { parameters += ["cnonce=\(FieldText(cnonce).quoted)", "nc=\(count)", "qop=\(qop.rawValue)"] }
        parameters.append("response=\"\(response)\"")
        if let opaque = challenge.opaque { parameters.append("opaque=\(opaque.quoted)") }
        if let name = challenge.algorithmName { parameters.append("algorithm=\(name)") }
        if challenge.hashesUsername { parameters.append("userhash=true") }
        return DigestAnswer(
            fieldValue: "Digest " + parameters.joined(separator: ", "), nonce: nonce, nonceCount: count, qop: qop, target: target)
    }

    /// Verifies a server's proof that it knows the password (`rspauth`, section 3.5).
    ///
    /// Not checked for `auth-int`, where it covers the response's body, nor without qop.
    func verify(_ information: AuthenticationInfo, of answer: DigestAnswer) throws(CredentialProblem) -> DigestVerification {
        guard let received = information.responseAuth, answer.qop == .auth, information.qop == nil || information.qop == "auth" else {
            return .notChecked
        }
        if let cnonce = information.cnonce, cnonce != FieldText(self.cnonce) { return .mismatch }
        if let count = information.nonceCount, !count.isKeyword(answer.nonceCount) { return .mismatch }
        let expected = try response(nonce: answer.nonce, count: answer.nonceCount, qop: answer.qop, second: ":\(answer.target)")
        return received.isKeyword(expected) ? .verified : .mismatch
    }

    /// KD of section 3.4.1, over H(A1) and H(A2).
    private func response(
        nonce: FieldText, count: String, qop: DigestChallenge.QOP?, second: String
    ) throws(CredentialProblem) -> String {
        var text = Array("\(hash):".utf8) + nonce.octets + Self.colon
        if let qop { text += Array("\(count):\(cnonce):\(qop.rawValue):".utf8) }
        return try Self.hash(text + Array(try Self.hash(Array(second.utf8), with: challenge.algorithm).utf8), with: challenge.algorithm)
    }

    // MARK: - Parts

    private static let colon = [UInt8(ascii: ":")]

    private static func hash(_ bytes: some ContiguousBytes, with algorithm: HashAlgorithm) throws(CredentialProblem) -> String {
        do throws(SystemLibraryError) { return try algorithm.hexadecimal(bytes) } catch { throw .library(error) }
    }

    /// `UTF-8''` and the text with everything except attr-char percent-encoded (RFC 8187 section 3.2.1).
    private static func extendedValue(_ text: String) -> String {
        text.utf8.reduce(into: "UTF-8''") { value, byte in
            // attr-char is tchar without these.
            let isPlain = byte.isHTTPTokenByte && !"*'%".utf8.contains(byte)
            value += isPlain ? String(Unicode.Scalar(byte)) : Percent.escaped(byte)
        }
    }
}

extension DigestKey: CustomStringConvertible, CustomReflectable {
    var description: String { "DigestKey(realm: \(challenge.realm.string.debugDescription), hash: \(Redaction.mark))" }

    var customMirror: Mirror { Mirror(self, children: ["realm": challenge.realm.string, "hash": Redaction.mark], displayStyle: .struct) }
}
