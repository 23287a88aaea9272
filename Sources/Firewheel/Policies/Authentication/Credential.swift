import Foundation

/// A user name and password.
final class Credential: Sendable {
    let user: String
    let password: String
    /// Whether the session keeps it once a server has accepted it.
    let isKept: Bool

    init(user: String, password: String, isKept: Bool) {
        self.user = user
        self.password = password
        self.isKept = isKept
    }
}

extension Credential: CustomStringConvertible, CustomReflectable {
    var description: String { Redaction.mark }
    var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}
