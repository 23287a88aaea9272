/// Which servers a session trusts, host by host: `Session(serverTrustManager:)`.
///
/// ```swift
/// let pins = try PublicKeysTrustEvaluator(pins: ["sha256/…", "sha256/…"])
/// let session = Session(serverTrustManager: ServerTrustManager(evaluators: ["**.example.com": pins]))
/// ```
/// The verdict about a server belongs to the session and its manager: connections and TLS sessions are never shared with another session.
public final class ServerTrustManager: Sendable {
    /// Whether https requests to hosts without an evaluator fail.
    public let allHostsMustBeEvaluated: Bool
    private let evaluators: HostPatterns<any ServerTrustEvaluating>
    /// What logs have to say about it; nil for nothing.
    let warning: String?

    /// A manager.
    ///
    /// - Parameters:
    ///   - allHostsMustBeEvaluated: Whether https requests to hosts without an evaluator fail. Otherwise these hosts are verified as by a
    ///     session without a manager. Default: true.
    ///   - evaluators: By host: `api.example.com`, `*.example.com` for the hosts one label below it, or `**.example.com` for those any
    ///     number of labels below it and itself. The pattern with the most labels in common counts. Hosts are compared without regard to
    ///     case, by their IDNA names and without the dot at the end. With a key that is not such a pattern every https request fails.
    public init(allHostsMustBeEvaluated: Bool = true, evaluators: [String: any ServerTrustEvaluating]) {
        self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
        self.evaluators = HostPatterns(evaluators, hasEvery: false)
        let disabled = evaluators.filter { $0.value.isDisabled }.keys.map(Redaction.host).sorted().joined(separator: ", ")
        warning = disabled.isEmpty ? nil : "DisabledTrustEvaluator trusts every server under these names, for development only: \(disabled)"
    }

    /// A manager with one evaluator for every host, and what logs have to say about it.
    package init(everyHost evaluator: any ServerTrustEvaluating, warning: String?) {
        allHostsMustBeEvaluated = true
        evaluators = HostPatterns(["*": evaluator], hasEvery: true)
        self.warning = warning
    }

    /// Why no server can be judged; nil if all keys are patterns of hosts.
    package var problem: String? { evaluators.problem }

    /// The evaluator for a host.
    ///
    /// - Parameter host: A host as URLs have it.
    /// - Returns: nil if there is none, and none is required.
    /// - Throws: ``FirewheelError`` of kind `serverTrustEvaluationFailed(.noRequiredEvaluator)` if there is none although one is required,
    ///   or if a key of the manager is not a pattern of hosts.
    public func serverTrustEvaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? { try evaluator(forHost: host) }

    /// The same, for those who hide it to throw errors of their own.
    package func evaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? {
        if let problem = evaluators.problem { throw Self.missing("evaluators of ServerTrustManager: \(problem)") }
        guard let name = HostPatterns<Void>.name(ofHost: host) else { throw Self.missing("\(host.onOneLine) is not a host") }
        if let evaluator = evaluators.value(forName: name) { return evaluator }
        guard allHostsMustBeEvaluated else { return nil }
        throw Self.missing("\(host.onOneLine) has no evaluator, and allHostsMustBeEvaluated is true")
    }

    /// One for the verdicts of a session.
    func makeToken() -> TrustToken {
        let wishes = evaluators.mapValues { $0.wantsStapledResponse }
        return TrustToken(wantingStapledResponses: wishes)
    }

    private static func missing(_ words: String) -> FirewheelError {
        FirewheelError(.serverTrustEvaluationFailed(.noRequiredEvaluator), detail: words)
    }
}

extension ServerTrustEvaluating {
    /// Whether it trusts every server.
    fileprivate var isDisabled: Bool {
        if let composite = self as? CompositeTrustEvaluator {
            return !composite.evaluators.isEmpty && composite.evaluators.allSatisfy { $0.isDisabled }
        }
        return self is DisabledTrustEvaluator
    }
}

/// Whose verdict counts for a connection: that of one session and its manager. It stands for them in the transport, whose threads must not
/// be the last to release the caller's evaluators. Equal to itself only.
final class TrustToken: Sendable, Hashable {
    private let wishes: HostPatterns<Bool>

    /// - Parameter wishes: Whether the evaluator of a host wants OCSP responses.
    init(wantingStapledResponses wishes: HostPatterns<Bool> = HostPatterns([:], hasEvery: false)) {
        self.wishes = wishes
    }

    /// Whether a server is to be asked for an OCSP response.
    func wantsStapledResponse(of host: String) -> Bool {
        HostPatterns<Bool>.name(ofHost: host).flatMap { wishes.value(forName: $0) } ?? false
    }

    static func == (one: TrustToken, other: TrustToken) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
