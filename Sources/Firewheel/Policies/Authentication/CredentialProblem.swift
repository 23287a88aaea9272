/// Why a challenge cannot be answered with what there is. No text of it holds a user name or a password.
enum CredentialProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// Basic separates the user name from the password by a colon (RFC 7617 section 2).
    case colonInUsername
    /// A user name, password or request target holds a control character (RFC 7617 section 2, RFC 7616 section 3.4).
    case controlCharacter(in: String)
    /// The server wants the body hashed (`auth-int`), and it is not known before it is sent.
    case unknownBody
    /// The hash algorithm cannot be used here.
    case library(SystemLibraryError)

    var description: String {
        switch self {
        case .colonInUsername: "the user name has a colon, which the Basic scheme does not allow"
        case .controlCharacter(let part): "the \(part) has a control character"
        case .unknownBody: "the server asks for a digest of the body, which is not known beforehand"
        case .library(let error): error.description
        }
    }

    static func checkControlCharacters(_ part: String, _ text: String) throws(CredentialProblem) {
        if text.utf8.contains(where: \.isControlCharacter) { throw .controlCharacter(in: part) }
    }
}
