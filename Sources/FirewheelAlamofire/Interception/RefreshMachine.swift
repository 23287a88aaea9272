/// The state machine of an ``AuthenticationInterceptor``: the credential, its refresh, and what waits for that. Pure: takes inputs and
/// returns what to do.
///
/// The rules are Alamofire's, which are not those of Firewheel's own interceptor: a failed refresh is remembered until the next request is
/// adapted, and not for a time; a credential that a refresh returns is used even if it is the same; and requests that are adapted during a
/// refresh for a refused one do not wait for it.
///
/// Whatever waits does so for a refresh that is under way, and is returned once: by ``finish(_:with:)`` or ``replace(with:)``.
struct RefreshMachine<Credential: Sendable, Adaptation: Sendable, Decision: Sendable>: Sendable {
    /// Identifies a refresh and the credential that it replaces.
    struct Ticket: Sendable, Hashable {
        let number: UInt64
        let version: UInt64
    }

    /// What to do with a request that is to be adapted.
    enum AdaptStep: Sendable {
        case apply(Credential)
        case fail(AuthenticationError)
        case wait
        /// Refresh the credential. The request waits.
        case refresh(Ticket, Credential)
        /// The credential has changed in the meantime: look at it again.
        case lookAgain
    }

    /// What to do with a request whose credential was refused.
    enum RetryStep: Sendable {
        case retry
        case fail(any Error)
        case wait
        /// Refresh the credential. The request waits.
        case refresh(Ticket, Credential)
    }

    /// What need not wait any longer.
    struct Waiting: Sendable {
        var adaptations: [Adaptation] = []
        var decisions: [Decision] = []
        /// The error with which it fails; nil if it can go on with the credential.
        var error: (any Error)?

        var isEmpty: Bool { adaptations.isEmpty && decisions.isEmpty }
    }

    private enum Phase: Sendable {
        case idle
        case refreshing(Ticket, Waiting)
        case failed(any Error)
    }

    private(set) var credential: Credential?
    /// Incremented with each change of the credential.
    private(set) var version: UInt64 = 0
    private var phase = Phase.idle
    private var refreshes: UInt64 = 0
    private let window: RefreshWindow?
    /// The start times of the refreshes within the window.
    private var beginnings: [MonotonicInstant] = []

    /// The values that hold objects of the program's.
    var callersValues: (credential: Credential?, failure: (any Error)?) {
        if case .failed(let error) = phase { (credential, error) } else { (credential, nil) }
    }

    init(credential: Credential?, window: RefreshWindow?) {
        self.credential = credential
        self.window = window
    }

    /// - Parameters:
    ///   - adaptation: The request, if it has to wait.
    ///   - seen: The version of the credential that was asked whether it requires a refresh.
    mutating func adapt(_ adaptation: Adaptation, seeing seen: UInt64, requiresRefresh: Bool, now: MonotonicInstant) -> AdaptStep {
        guard let credential else { return .fail(.missingCredential) }
        guard seen == version else { return .lookAgain }
        if case .refreshing(let ticket, var waiting) = phase {
            // If the refresh is for a refused request, this one is adapted at once, and again as a whole if it is refused as well.
            if waiting.adaptations.isEmpty { return .apply(credential) }
            waiting.adaptations.append(adaptation)
            phase = .refreshing(ticket, waiting)
            return .wait
        }
        guard requiresRefresh else {
            // A new request: the earlier failure was not its own.
            phase = .idle
            return .apply(credential)
        }
        guard let ticket = begin(for: Waiting(adaptations: [adaptation]), now: now) else { return .fail(.excessiveRefresh) }
        return .refresh(ticket, credential)
    }

    /// - Parameters:
    ///   - decision: The request, if it has to wait.
    ///   - seen: The version of the credential that was refused.
    mutating func retry(_ decision: Decision, seeing seen: UInt64, now: MonotonicInstant) -> RetryStep {
        guard seen == version, let credential else { return .retry }
        switch phase {
        case .failed(let error):
            return .fail(error)
        case .refreshing(let ticket, var waiting):
            waiting.decisions.append(decision)
            phase = .refreshing(ticket, waiting)
            return .wait
        case .idle:
            guard let ticket = begin(for: Waiting(decisions: [decision]), now: now) else {
                return .fail(AuthenticationError.excessiveRefresh)
            }
            return .refresh(ticket, credential)
        }
    }

    /// - Returns: nil if the refresh is not waited for: it has finished before, or a credential was set in the meantime.
    mutating func finish(_ ticket: Ticket, with result: Result<Credential, any Error>) -> Waiting? {
        guard case .refreshing(ticket, var waiting) = phase else { return nil }
        switch result {
        case .failure(let error):
            phase = .failed(error)
            waiting.error = error
        case .success where ticket.version != version:
            // The credential was removed, which an older refresh does not undo.
            phase = .idle
            waiting.error = AuthenticationError.missingCredential
        case .success(let refreshed):
            phase = .idle
            credential = refreshed
            version &+= 1
        }
        return waiting
    }

    /// Sets a credential of the program's. A running refresh is not waited for any longer, and its result is dropped.
    ///
    /// If the credential is nil, what waits for a refresh still waits, because an authenticator may remove the credential before it reports
    /// why it cannot refresh it.
    mutating func replace(with replacement: Credential?) -> Waiting {
        credential = replacement
        version &+= 1
        guard case .refreshing(_, let waiting) = phase else {
            phase = .idle
            return Waiting()
        }
        if replacement == nil { return Waiting() }
        phase = .idle
        return waiting
    }

    /// Begins a refresh; nil if there were too many.
    private mutating func begin(for waiting: Waiting, now: MonotonicInstant) -> Ticket? {
        guard mayRefresh(now: now) else {
            phase = .failed(AuthenticationError.excessiveRefresh)
            return nil
        }
        refreshes &+= 1
        let ticket = Ticket(number: refreshes, version: version)
        phase = .refreshing(ticket, waiting)
        return ticket
    }

    /// Counts another refresh if the window allows it.
    private mutating func mayRefresh(now: MonotonicInstant) -> Bool {
        guard let window else { return true }
        beginnings.removeAll { now.seconds(since: $0) > window.interval }
        guard beginnings.count < window.maximumAttempts else { return false }
        beginnings.append(now)
        return true
    }
}
