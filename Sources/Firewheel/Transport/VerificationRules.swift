import Foundation

/// What the certificates of servers are verified against. Each is equal to itself only, so that comparing routes does not compare lists of
/// certificates: a session makes one of its configuration.
final class VerificationRules: Sendable, Hashable {
    let authorities: TLSConfiguration.Authorities
    let revocationLists: [Data]
    let requiresRevocationLists: Bool
    /// Why no server can be talked to; nil if nothing prevents it.
    let problem: String?

    init(_ configuration: TLSConfiguration) {
        authorities = configuration.authorities
        revocationLists = configuration.revocationLists
        requiresRevocationLists = configuration.requiresRevocationLists
        problem = configuration.problem
    }

    /// Whether a configuration has the same rules, though perhaps not the same object.
    func agrees(with configuration: TLSConfiguration) -> Bool {
        authorities == configuration.authorities && revocationLists == configuration.revocationLists
            && requiresRevocationLists == configuration.requiresRevocationLists
    }

    static func == (one: VerificationRules, other: VerificationRules) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
