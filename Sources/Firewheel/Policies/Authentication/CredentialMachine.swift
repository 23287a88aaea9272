/// The state machine of an ``AuthenticationInterceptor``: the credential, its refresh, and the waiting requests. Pure: takes inputs and
/// returns actions.
struct CredentialMachine<Credential: Sendable>: Sendable {
    typealias Waiter = UInt64

    /// Identifies a refresh and the credential that it replaces.
    struct Ticket: Sendable, Hashable {
        let number: UInt64
        let version: UInt64
    }

    /// A request for another credential than the current one.
    struct Question: Sendable {
        let waiter: Waiter
        /// The version of the credential that requires a refresh or was refused.
        let version: UInt64
        let context: RequestContext
        /// When the refused attempt began, if its credential was refused.
        var requestStart: MonotonicInstant?
    }

    enum Input: Sendable {
        case ask(Question)
        /// A waiting request was cancelled.
        case leave(Waiter)
        /// The caller set a credential.
        case replace(Credential?)
        /// A refresh returned a credential, or one equal to the previous.
        case refreshed(Ticket, Credential, isUnchanged: Bool)
        /// A refresh failed or timed out. After a timeout its result may still be used.
        case failed(Ticket, FirewheelError)
    }

    enum Action: Sendable {
        case nothing
        /// The context is that of the first request that needs it.
        case refresh(Ticket, Credential, RequestContext)
        case answer([Waiter], Answer)
    }

    enum Answer: Sendable {
        /// Another credential than the one in question.
        case credential(Credential)
        /// The refresh returned the same credential.
        case unchanged(Credential)
        case failure(FirewheelError)
        /// The waiting request was cancelled.
        case left
    }

    private struct Refresh: Sendable {
        let ticket: Ticket
        var waiters: Set<Waiter>
    }

    /// The result of the last refresh, if it did not lead to another credential.
    struct Failure: Sendable {
        let answer: Answer
        let instant: MonotonicInstant
    }

    /// The seconds for which a failure answers every request: long enough for concurrent ones.
    static var failureMemory: Double { 1 }

    private(set) var credential: Credential?
    /// Incremented with each change of the credential.
    private(set) var version: UInt64 = 0
    /// When the credential last changed.
    private var changed: MonotonicInstant?
    private let window: RefreshWindow?
    private var running: Refresh?
    private var failure: Failure?
    private var refreshes: UInt64 = 0
    /// The start times of the refreshes within the window.
    private var beginnings: [MonotonicInstant] = []

    init(credential: Credential?, window: RefreshWindow?) {
        self.credential = credential
        self.window = window
    }

    /// The values that hold objects of the caller's.
    typealias CallersValues = (credential: Credential?, failure: Failure?)
    var callersValues: CallersValues { (credential, failure) }

    /// The current refresh, unless it has timed out or its credential was replaced.
    var runningTicket: Ticket? { running?.ticket }

    mutating func handle(_ input: Input, now: MonotonicInstant) -> Action {
        switch input {
        case .ask(let question):
            return answer(question, now: now)
        case .leave(let waiter):
            // The refresh continues without waiters: the server may have invalidated the old credential already.
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
            // Used even after a timeout: the server may accept no other credential now.
            self.credential = credential
            return succeed(.credential(credential), now: now)
        case .failed(let ticket, let error):
            return fail(ticket, .failure(error), now: now)
        }
    }

    /// Whether an attempt may have used an earlier credential. If not, and it has another one, this interceptor did not authenticate it.
    ///
    /// - Parameters:
    ///   - start: When the attempt began, before its adapters; nil if unknown.
    ///   - isRetry: Whether it was a retry. A retry with an unknown start is not repeated, so that none is repeated for ever.
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

    /// Whether a request that was refused or adapted after a failed refresh shares its error.
    private func answers(_ failure: Failure, _ question: Question, now: MonotonicInstant) -> Bool {
        if let start = question.requestStart, start < failure.instant { return true }
        return now.seconds(since: failure.instant) < Self.failureMemory
    }

    /// Counts another refresh if the window allows it.
    private mutating func mayRefresh(now: MonotonicInstant) -> Bool {
        guard let window else { return true }
        beginnings.removeAll { now.seconds(since: $0) >= window.interval }
        guard beginnings.count < window.maximumAttempts else { return false }
        beginnings.append(now)
        return true
    }

    /// Applies another credential, which ends the wait for a refresh of the previous one.
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
