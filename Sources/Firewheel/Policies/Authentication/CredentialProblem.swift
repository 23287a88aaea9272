/// Why a challenge cannot be answered. Its text contains no user name or password.
enum CredentialProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// Basic separates user name and password with a colon (RFC 7617 section 2).
    case colonInUsername
    /// A user name, password or request target contains a control character (RFC 7617 section 2, RFC 7616 section 3.4).
    case controlCharacter(in: String)
    /// The server requires a hash of the body (`auth-int`), which is not known in advance.
    case unknownBody
    /// The hash algorithm is unavailable.
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
