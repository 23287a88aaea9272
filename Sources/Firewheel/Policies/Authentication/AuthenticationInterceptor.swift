import Foundation

/// Authenticates requests with a credential, and refreshes it when needed: once for any number of concurrent requests.
///
/// ```swift
/// let interceptor = AuthenticationInterceptor(authenticator: OAuthAuthenticator(), credential: tokens)
/// let session = Session(interceptor: interceptor)
/// session.get("https://api.example.com/me").validate().responseData { _ in }
/// ```
/// - Before each attempt the authenticator applies the credential. If that ``AuthenticationCredential/requiresRefresh``, the request waits
///   for a refresh first.
/// - If an attempt fails and the authenticator attributes this to the credential, the request waits for a refresh and is retried. A status
///   such as 401 is a failure only with `validate()`. A request that was sent with an earlier credential is retried without a refresh; one
///   with a credential that this interceptor did not apply is left to the next retrier.
/// - If a refresh fails, all requests waiting for it fail with its error, as do requests that need a refresh within a second of the
///   failure, and those started before it. After that, the next request that needs a refresh starts another one.
/// - A cancelled request ends at once. The refresh continues even if no request waits for it, and its credential is kept.
/// - Requests made by ``Authenticator/refresh(_:for:)`` itself do not wait for it, and are neither authenticated nor retried.
///
/// Errors are ``FirewheelError``s of kind `authenticationFailed`, the `underlyingError` of `requestAdaptationFailed` or
/// `requestRetryFailed`; ``FirewheelError/authenticationFailureReason`` finds them.
public final class AuthenticationInterceptor<A: Authenticator>: RequestInterceptor {
    /// The authenticator's own type of credential.
    public typealias Credential = A.Credential
    /// The limit on refreshes, under the name that Alamofire nests in this type.
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

    /// The effect to perform after the lock is released.
    private struct Effect: Sendable {
        let action: Machine.Action
        let answered: [CheckedContinuation<Machine.Answer, Never>]
        /// Released outside the lock, because this may run the caller's deinitializers.
        let replaced: Machine.CallersValues
    }

    private let authenticator: A
    private let refreshTimeout: TimeInterval
    private let retryLimit: Int
    private let clock: RefreshClock
    private let state: Locked<State>

    /// Creates an interceptor for a session or for a single request.
    ///
    /// - Parameters:
    ///   - authenticator: Applies and refreshes credentials.
    ///   - credential: The first credential. nil: requests fail with `missingCredential` until one is set. Default: nil.
    ///   - refreshWindow: The maximum number of refreshes within a time; one more is `excessiveRefresh`. nil means no limit. Default: 5
    ///     within 30 s.
    ///   - refreshTimeout: The seconds that requests wait for a refresh, which is then cancelled. 0, negative numbers and infinity mean no
    ///     limit; NaN counts as 60. Default: 60.
    ///   - retryLimit: The maximum number of retries of a request, including those of other retriers; beyond it the request fails with its
    ///     error. 0 and negative numbers: never. Default: 10.
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

    /// The current credential. May be set at any time and on any thread: after logging in, or to nil after logging out.
    ///
    /// Setting it ends the wait for a refresh and drops its result: requests continue with the new credential, or fail with
    /// `missingCredential`. Earlier refreshes no longer count in the window.
    public var credential: Credential? {
        get { state.withLock { $0.machine.credential } }
        set { handle(.replace(newValue)) }
    }

    /// Applies the current credential, after a refresh if it requires one.
    ///
    /// - Throws: ``FirewheelError`` of kind `authenticationFailed`; `CancellationError` if the task is cancelled while it waits.
    public func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
        if RefreshScope.isInside(refreshOf: self) { return urlRequest }
        let (present, version) = state.withLock { ($0.machine.credential, $0.machine.version) }
        guard var credential = present else { throw FirewheelError.missingCredential }
        if credential.requiresRefresh {
            switch await askForRefresh(of: version, for: context) {
            // If a refresh returns the same credential, the server decides whether it is still valid.
            case .credential(let other), .unchanged(let other): credential = other
            case .failure(let error): throw error
            case .left: throw CancellationError()
            }
        }
        var request = urlRequest
        authenticator.apply(credential, to: &request)
        return request
    }

    /// `.retry` once the credential differs from the one that was refused.
    public func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult {
        guard let urlRequest = request.request, let response = request.response else { return .doNotRetry }
        if RefreshScope.isInside(refreshOf: self) { return .doNotRetry }
        // After a redirect to another origin the credential was not sent, nor would a new one be.
        guard urlRequest.url?.hasSameOrigin(as: response.url) != false else { return .doNotRetry }
        guard authenticator.didRequest(urlRequest, with: response, failDueToAuthenticationError: error) else { return .doNotRetry }
        guard request.retryCount < retryLimit else { return .doNotRetry }
        // The start of the attempt, before its adapters. The transport may have accepted it much later.
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
                // A cancellation before the question was registered found no waiter.
                if Task.isCancelled { handle(.leave(waiter)) }
            }
        } onCancel: {
            handle(.leave(waiter))
        }
    }

    /// - Parameter continuation: That of the waiter, if the input is a question.
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

    /// Runs the refresh in its own task, which is independent of any request's end and inherits the task-local values of the first request
    /// that needs it.
    private func refresh(_ credential: Credential, _ ticket: Machine.Ticket, for context: RequestContext) {
        let scope = RefreshScope(owner: self)
        // On a thread that may block: otherwise a blocking refresh could keep its timer from running.
        let work = WorkerPool.makeTask {
            let result = await scope.run { await self.result(of: credential, ticket, for: context) }
            self.handle(result)
        }
        guard refreshTimeout > 0, refreshTimeout < .infinity else { return }
        let timer = WorkerPool.makeTask { [clock, refreshTimeout] in
            do { try await clock.sleep(refreshTimeout) } catch { return }
            self.handle(.failed(ticket, FirewheelError(.authenticationFailed(.refreshTimedOut))))
            // Cancelling runs the authenticator's cancellation handlers, which may block.
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

    /// A cancelled refresh does not mean that the waiting requests were cancelled, so its error is not kept as their cause.
    private static func failure(_ error: any Error) -> FirewheelError {
        if FirewheelError.isCancellation(error) || FirewheelError.urlErrorCode(of: error) == .cancelled {
            return FirewheelError(.authenticationFailed(.refreshCancelled), detail: FirewheelError.words(of: error))
        }
        return FirewheelError(.authenticationFailed(.refreshFailed), underlyingError: error)
    }

    /// Whether two credentials are Equatable and equal.
    private static func areEqual(_ left: Credential, _ right: Credential) -> Bool {
        func isEqual<Value: Equatable>(_ left: Value) -> Bool { (right as? Value) == left }
        return (left as? any Equatable).map { isEqual($0) } ?? false
    }
}

extension AuthenticationInterceptor: CustomStringConvertible, CustomReflectable {
    /// The types' names only: the authenticator may hold a client secret.
    public var description: String { "AuthenticationInterceptor<\(A.self)>" }

    /// Empty, so that `dump` and debuggers show only the description.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension URL {
    /// False if both are http or https URLs with different origins (RFC 6454).
    fileprivate func hasSameOrigin(as other: URL?) -> Bool {
        guard let other, let own = TargetURI(absoluteString), let other = TargetURI(other.absoluteString) else { return true }
        return own.hasSameOrigin(as: other)
    }
}
