import Foundation

/// What the certificates of servers are verified against, and the rest of a session's `tls`. Each is equal to itself only, so that
/// comparing routes does not compare lists of certificates: a session makes one of its configuration.
final class VerificationRules: Sendable, Hashable {
    /// Not the default.
    let configuration: TLSConfiguration
    /// Why no server can be talked to; nil if nothing prevents it.
    let problem: String?

    var authorities: TLSConfiguration.Authorities { configuration.authorities }
    var revocationLists: [Data] { configuration.revocationLists }
    var requiresRevocationLists: Bool { configuration.requiresRevocationLists }

    init(_ configuration: TLSConfiguration, problem: String?) {
        self.configuration = configuration
        self.problem = problem
    }

    static func == (one: VerificationRules, other: VerificationRules) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
