import Foundation

/// A user name and password.
final class Credential: Sendable {
    let user: String
    let password: String
    /// Whether the session stores it once a server has accepted it.
    let isKept: Bool
    /// Whether the password may not be sent itself, as Basic does.
    let isForDigestOnly: Bool

    init(user: String, password: String, isKept: Bool, isForDigestOnly: Bool = false) {
        self.user = user
        self.password = password
        self.isKept = isKept
        self.isForDigestOnly = isForDigestOnly
    }

    /// Whether it may answer a challenge.
    func mayAnswer(_ challenge: OfferedChallenges.Answerable) -> Bool {
        if case .basic = challenge { !isForDigestOnly } else { true }
    }

    /// The user information of a URL, which applies to its request only.
    convenience init(userInfo: String) {
        let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { part in
            part.removingPercentEncoding ?? String(part)
        }
        self.init(user: parts[0], password: parts.count > 1 ? parts[1] : "", isKept: false)
    }

    func isSame(as other: Credential) -> Bool { user == other.user && password == other.password }
}

extension Credential: CustomStringConvertible, CustomReflectable {
    var description: String { Redaction.mark }

    var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}
