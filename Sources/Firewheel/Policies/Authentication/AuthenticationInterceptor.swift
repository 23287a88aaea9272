import Foundation

/// Authenticates requests with a credential that it refreshes when that is needed: once, however many requests need it at the same time.
///
/// ```swift
/// let interceptor = AuthenticationInterceptor(authenticator: OAuthAuthenticator(), credential: tokens)
/// let session = Session(interceptor: interceptor)
/// session.get("https://api.example.com/me").validate().responseData { _ in }
/// ```
/// - Before each attempt the authenticator applies the credential. If that ``AuthenticationCredential/requiresRefresh``, the request waits
///   for a refresh first.
/// - If an attempt fails and the authenticator says that this is for the credential, the request waits for a refresh and is sent again. A
///   status such as 401 is a failure only with `validate()`. A request that was sent with an earlier credential is sent again without a
///   refresh; one that carries another, which this interceptor did not apply, is left to the next retrier.
/// - A refresh that fails ends all requests that wait for it with its error. The same error is given to requests that ask within a second
///   of it, and to those that had been started before it; after that the next request that needs one starts another refresh.
/// - A cancelled request ends at once. The refresh goes on, even without anybody who waits, and its credential is kept.
/// - Requests made by ``Authenticator/refresh(_:for:)`` itself neither wait for it nor are authenticated or retried.
///
/// What goes wrong is a ``FirewheelError`` of kind `authenticationFailed`, the `underlyingError` of `requestAdaptationFailed` or
/// `requestRetryFailed`: ``FirewheelError/authenticationFailureReason`` finds it.
public final class AuthenticationInterceptor<A: Authenticator>: RequestInterceptor {
    public typealias Credential = A.Credential
    public typealias RefreshWindow = Firewheel.RefreshWindow

    typealias Machine = CredentialMachine<Credential>

    private struct State: Sendable {
        var machine: Machine
        var waiters: Machine.Waiter = 0
        var waiting: [Machine.Waiter: CheckedContinuation<Machine.Answer, Never>] = [:]

        mutating func handle(_ input: Machine.Input, now: MonotonicInstant) -> Effect {
            let replaced = machine.callersValues
            let action = machine.handle(input, now: now)
            guard case .answer(let waiters, _) = action else { return Effect(action: action, answered: [], replaced: replaced) }
            return Effect(action: action, answered: waiters.compactMap { waiting.removeValue(forKey: $0) }, replaced: replaced)
        }
    }

    /// What is done after the lock is released.
    private struct Effect: Sendable {
        let action: Machine.Action
        let answered: [CheckedContinuation<Machine.Answer, Never>]
        /// Released without the lock, since the end of an object of the caller's may run its code.
        let replaced: Machine.CallersValues
    }

    private let authenticator: A
    private let refreshTimeout: TimeInterval
    private let retryLimit: Int
    private let clock: RefreshClock
    private let state: Locked<State>

    /// - Parameters:
    ///   - authenticator: Applies and refreshes credentials.
    ///   - credential: The first credential. nil: requests fail with `missingCredential` until one is set. Default: nil.
    ///   - refreshWindow: How many refreshes are made within a time; one more is `excessiveRefresh`. nil is no bound. Default: 5 within 30
    ///     s.
    ///   - refreshTimeout: How many seconds requests wait for a refresh, which is cancelled then. 0, negative and infinity are no limit;
    ///     not a number counts as 60. Default: 60.
    ///   - retryLimit: How often a request is retried at most. Retries that another retrier asked for count too; a request that has had so
    ///     many fails with the error that it has. 0 and negative: never. Default: 10.
    public convenience init(
        authenticator: A,
        credential: Credential? = nil,
        refreshWindow: Firewheel.RefreshWindow? = Firewheel.RefreshWindow(),
        refreshTimeout: TimeInterval = 60,
        retryLimit: Int = 10
    ) {
        self.init(
            authenticator: authenticator, credential: credential, refreshWindow: refreshWindow, refreshTimeout: refreshTimeout,
            retryLimit: retryLimit, clock: .system)
    }

    init(
        authenticator: A, credential: Credential?, refreshWindow: Firewheel.RefreshWindow?, refreshTimeout: TimeInterval,
        retryLimit: Int, clock: RefreshClock
    ) {
        self.authenticator = authenticator
        self.refreshTimeout = refreshTimeout.isNaN ? 60 : max(0, refreshTimeout)
        self.retryLimit = max(0, retryLimit)
        self.clock = clock
        state = Locked(State(machine: Machine(credential: credential, window: refreshWindow)))
    }

    /// The present credential. It may be set at any time, by any thread: after logging in, or to nil after logging out.
    ///
    /// Setting it ends the wait for a refresh, whose result is dropped: requests go on with the credential that was set, or fail with
    /// `missingCredential`. The refreshes so far do not count in the window any more.
    public var credential: Credential? {
        get { state.withLock { $0.machine.credential } }
        set { handle(.replace(newValue)) }
    }

    /// The request with the present credential, once that does not require a refresh.
    ///
    /// - Throws: ``FirewheelError`` of kind `authenticationFailed`; `CancellationError` if the task is cancelled while it waits.
    public func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
        if RefreshScope.isInside(refreshOf: self) { return urlRequest }
        let (present, version) = state.withLock { ($0.machine.credential, $0.machine.version) }
        guard var credential = present else { throw FirewheelError.missingCredential }
        if credential.requiresRefresh {
            switch await askForRefresh(of: version, for: context) {
            // Whether one that the server gave again is still good, the server decides.
            case .credential(let other), .unchanged(let other): credential = other
            case .failure(let error): throw error
            case .left: throw CancellationError()
            }
        }
        var request = urlRequest
        authenticator.apply(credential, to: &request)
        return request
    }

    /// `.retry` once there is another credential than the one that was refused.
    public func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult {
        guard let urlRequest = request.request, let response = request.response else { return .doNotRetry }
        if RefreshScope.isInside(refreshOf: self) { return .doNotRetry }
        // Where a redirect led to another origin the credential did not go there, and a new one would not either.
        guard urlRequest.url?.hasSameOrigin(as: response.url) != false else { return .doNotRetry }
        guard authenticator.didRequest(urlRequest, with: response, failDueToAuthenticationError: error) else { return .doNotRetry }
        guard request.retryCount < retryLimit else { return .doNotRetry }
        // That of the attempt, before it was adapted. The transport may have taken it up much later.
        let start = request.attemptStart
        let (present, version, mayBeEarlier) = state.withLock { state in
            (
                state.machine.credential, state.machine.version,
                state.machine.mayCarryEarlierCredential(startedAt: start, isRetry: request.retryCount > 0)
            )
        }
        guard let credential = present else { return .doNotRetryWithError(FirewheelError.missingCredential) }
        guard authenticator.isRequest(urlRequest, authenticatedWith: credential) else { return mayBeEarlier ? .retry : .doNotRetry }
        switch await askForRefresh(of: version, for: request, startedAt: start) {
        case .credential: return .retry
        case .unchanged: return .doNotRetryWithError(FirewheelError(.authenticationFailed(.unchangedCredential)))
        case .failure(let error): return .doNotRetryWithError(error)
        case .left: return .doNotRetry
        }
    }

    // MARK: Waiting

    private func askForRefresh(of version: UInt64, for context: RequestContext, startedAt start: MonotonicInstant? = nil) async
        -> Machine.Answer
    {
        if Task.isCancelled { return .left }
        let waiter = state.withLock { state in
            state.waiters &+= 1
            return state.waiters
        }
        let question = Machine.Question(waiter: waiter, version: version, context: context, requestStart: start)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                handle(.ask(question), from: continuation)
                // A cancel that came before the question found nobody who waits.
                if Task.isCancelled { handle(.leave(waiter)) }
            }
        } onCancel: {
            handle(.leave(waiter))
        }
    }

    /// - Parameter continuation: Of the one who asks, if the input is a question.
    private func handle(_ input: Machine.Input, from continuation: CheckedContinuation<Machine.Answer, Never>? = nil) {
        let effect = state.withLock { state in
            // Read under the lock, so that what took the earlier credential under it began before this.
            let now = clock.now()
            if case .ask(let question) = input { state.waiting[question.waiter] = continuation }
            return state.handle(input, now: now)
        }
        switch effect.action {
        case .nothing: break
        case .answer(_, let answer): for continuation in effect.answered { continuation.resume(returning: answer) }
        case .refresh(let ticket, let credential, let context): refresh(credential, ticket, for: context)
        }
    }

    // MARK: The refresh

    /// Runs the refresh in a task of its own, which no request's end cancels. It has the task-local values of the request that needs it
    /// first.
    private func refresh(_ credential: Credential, _ ticket: Machine.Ticket, for context: RequestContext) {
        let scope = RefreshScope(owner: self)
        // Where a refresh may block its thread: else its timer might never run.
        let work = WorkerPool.makeTask {
            let result = await scope.run { await self.result(of: credential, ticket, for: context) }
            self.handle(result)
        }
        guard refreshTimeout > 0, refreshTimeout < .infinity else { return }
        let timer = WorkerPool.makeTask { [clock, refreshTimeout] in
            do { try await clock.sleep(refreshTimeout) } catch { return }
            self.handle(.failed(ticket, FirewheelError(.authenticationFailed(.refreshTimedOut))))
            // A cancel calls the authenticator's cancellation handlers, which may block.
            WorkerPool.shared.run { work.cancel() }
        }
        scope.keep(timer)
    }

    private func result(of credential: Credential, _ ticket: Machine.Ticket, for context: RequestContext) async -> Machine.Input {
        do {
            let refreshed = try await authenticator.refresh(credential, for: context)
            return .refreshed(ticket, refreshed, isUnchanged: Self.areEqual(credential, refreshed))
        } catch {
            return .failed(ticket, Self.failure(error))
        }
    }

    /// A cancel of the refresh is no cancel of those who wait: it is not kept as a cause, by which they would seem cancelled.
    private static func failure(_ error: any Error) -> FirewheelError {
        if FirewheelError.isCancellation(error) || FirewheelError.urlErrorCode(of: error) == .cancelled {
            return FirewheelError(.authenticationFailed(.refreshCancelled), detail: FirewheelError.sentence(of: error))
        }
        return FirewheelError(.authenticationFailed(.refreshFailed), underlyingError: error)
    }

    /// Whether two credentials are of a type that can be compared, and equal.
    private static func areEqual(_ left: Credential, _ right: Credential) -> Bool {
        func isEqual<Value: Equatable>(_ left: Value) -> Bool { (right as? Value) == left }
        return (left as? any Equatable).map { isEqual($0) } ?? false
    }
}

extension AuthenticationInterceptor: CustomStringConvertible, CustomReflectable {
    /// The types' names: neither the credential, nor the authenticator, which may hold a client's secret.
    public var description: String { "AuthenticationInterceptor<\(A.self)>" }

    /// Nothing besides the description, for `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension URL {
    /// false if both are URLs of http, and of different origins (RFC 6454).
    fileprivate func hasSameOrigin(as other: URL?) -> Bool {
        guard let other, let own = TargetURI(absoluteString), let other = TargetURI(other.absoluteString) else { return true }
        return own.hasSameOrigin(as: other)
    }
}
