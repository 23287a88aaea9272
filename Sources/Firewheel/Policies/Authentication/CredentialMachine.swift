/// The state of an ``AuthenticationInterceptor``: the credential, its refresh, and who waits for it. Pure: an input goes in, an action
/// comes out.
struct CredentialMachine<Credential: Sendable>: Sendable {
    typealias Waiter = UInt64

    /// A refresh, and of which credential.
    struct Ticket: Sendable, Hashable {
        let number: UInt64
        let version: UInt64
    }

    /// A question for a better credential than the present one.
    struct Question: Sendable {
        let waiter: Waiter
        /// Of the credential that requires a refresh or was refused.
        let version: UInt64
        let context: RequestContext
        /// When the refused attempt began, if its credential was refused.
        var requestStart: MonotonicInstant?
    }

    enum Input: Sendable {
        case ask(Question)
        /// The waiter's request was cancelled.
        case leave(Waiter)
        /// A credential was set from outside.
        case replace(Credential?)
        /// A refresh returned a credential, or one equal to that it was given.
        case refreshed(Ticket, Credential, isUnchanged: Bool)
        /// A refresh failed, or timed out; what it returns after that may still be of use.
        case failed(Ticket, FirewheelError)
    }

    enum Action: Sendable {
        case nothing
        /// The context is that of the request which needs it first.
        case refresh(Ticket, Credential, RequestContext)
        case answer([Waiter], Answer)
    }

    enum Answer: Sendable {
        /// Another credential than the one that was asked about.
        case credential(Credential)
        /// The refresh returned the credential that it was given.
        case unchanged(Credential)
        case failure(FirewheelError)
        /// The waiter's request was cancelled.
        case left
    }

    private struct Refresh: Sendable {
        let ticket: Ticket
        var waiters: Set<Waiter>
    }

    /// What became of the last refresh, if it did not lead to another credential.
    struct Failure: Sendable {
        let answer: Answer
        let instant: MonotonicInstant
    }

    /// How long a failure answers every request: long enough for the others of a burst.
    static var failureMemory: Double { 1 }

    private(set) var credential: Credential?
    /// Changes with the credential.
    private(set) var version: UInt64 = 0
    /// When it changed last.
    private var changed: MonotonicInstant?
    private let window: RefreshWindow?
    private var running: Refresh?
    private var failure: Failure?
    private var refreshes: UInt64 = 0
    /// When the refreshes of the window began.
    private var beginnings: [MonotonicInstant] = []

    init(credential: Credential?, window: RefreshWindow?) {
        self.credential = credential
        self.window = window
    }

    /// What holds objects of the caller's.
    typealias CallersValues = (credential: Credential?, failure: Failure?)
    var callersValues: CallersValues { (credential, failure) }

    /// The refresh that is waited for. One that has timed out, or whose credential was replaced, is not.
    var runningTicket: Ticket? { running?.ticket }

    mutating func handle(_ input: Input, now: MonotonicInstant) -> Action {
        switch input {
        case .ask(let question):
            return answer(question, now: now)
        case .leave(let waiter):
            // The refresh goes on without waiters: the server may have replaced the credential already.
            return running?.waiters.remove(waiter) == nil ? .nothing : .answer([waiter], .left)
        case .replace(let credential):
            beginnings = []
            self.credential = credential
            return succeed(credential.map(Answer.credential) ?? .failure(.missingCredential), now: now)
        case .refreshed(let ticket, _, _) where ticket.version != version:
            return .nothing
        case .refreshed(let ticket, let credential, isUnchanged: true):
            return fail(ticket, .unchanged(credential), now: now)
        case .refreshed(_, let credential, isUnchanged: false):
            // Even if it has timed out: the server may accept nothing but this one now.
            self.credential = credential
            return succeed(.credential(credential), now: now)
        case .failed(let ticket, let error):
            return fail(ticket, .failure(error), now: now)
        }
    }

    /// Whether a request may have been sent with an earlier credential than the present one. With another it was not authenticated by this
    /// interceptor.
    ///
    /// - Parameters:
    ///   - start: When the attempt began, before it was adapted; nil if that is not known.
    ///   - isRetry: Whether it was a retry. One whose start is not known is not repeated, so that none is repeated again and again.
    func mayCarryEarlierCredential(startedAt start: MonotonicInstant?, isRetry: Bool) -> Bool {
        guard let changed else { return false }
        guard let start else { return !isRetry }
        return start <= changed
    }

    private mutating func answer(_ question: Question, now: MonotonicInstant) -> Action {
        let waiter = question.waiter
        guard let credential else { return .answer([waiter], .failure(.missingCredential)) }
        guard question.version == version else { return .answer([waiter], .credential(credential)) }
        guard running == nil else {
            running?.waiters.insert(waiter)
            return .nothing
        }
        if let failure, answers(failure, question, now: now) { return .answer([waiter], failure.answer) }
        guard mayRefresh(now: now) else { return .answer([waiter], .failure(.excessiveRefresh(after: failure?.error))) }
        refreshes &+= 1
        let ticket = Ticket(number: refreshes, version: version)
        running = Refresh(ticket: ticket, waiters: [waiter])
        return .refresh(ticket, credential, question.context)
    }

    /// Whether a request that is refused, or adapted, after the failure of a refresh shares it.
    private func answers(_ failure: Failure, _ question: Question, now: MonotonicInstant) -> Bool {
        if let start = question.requestStart, start < failure.instant { return true }
        return now.seconds(since: failure.instant) < Self.failureMemory
    }

    /// Whether the window has room for another refresh, which is counted then.
    private mutating func mayRefresh(now: MonotonicInstant) -> Bool {
        guard let window else { return true }
        beginnings.removeAll { now.seconds(since: $0) >= window.interval }
        guard beginnings.count < window.maximumAttempts else { return false }
        beginnings.append(now)
        return true
    }

    /// Another credential is there. A refresh of the one before is not waited for any more.
    private mutating func succeed(_ answer: Answer, now: MonotonicInstant) -> Action {
        version &+= 1
        changed = now
        failure = nil
        return end(answer)
    }

    private mutating func fail(_ ticket: Ticket, _ answer: Answer, now: MonotonicInstant) -> Action {
        guard running?.ticket == ticket else { return .nothing }
        failure = Failure(answer: answer, instant: now)
        return end(answer)
    }

    private mutating func end(_ answer: Answer) -> Action {
        guard let waiters = running.take()?.waiters, !waiters.isEmpty else { return .nothing }
        return .answer(waiters.sorted(), answer)
    }
}

extension CredentialMachine.Failure {
    var error: FirewheelError? {
        if case .failure(let error) = answer { return error }
        return nil
    }
}

extension FirewheelError {
    static var missingCredential: FirewheelError { FirewheelError(.authenticationFailed(.missingCredential)) }

    static func excessiveRefresh(after failure: FirewheelError?) -> FirewheelError {
        FirewheelError(.authenticationFailed(.excessiveRefresh), underlyingError: failure)
    }
}
