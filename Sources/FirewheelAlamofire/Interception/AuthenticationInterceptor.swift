/// Authenticates requests with a credential, and refreshes it when needed: once for any number of requests that wait for it.
///
/// - Before each attempt the authenticator applies the credential. If that `requiresRefresh`, the request waits for a refresh first.
/// - If an attempt fails and the authenticator attributes this to the credential, the request waits for a refresh and is retried. One that
///   was sent with another credential than the current one is retried without a refresh.
/// - If a refresh fails, all requests that wait for it fail with its error, as do requests that are refused before another request is
///   adapted.
///
/// It may be used by several sessions and requests.
public final class AuthenticationInterceptor<AuthenticatorType: Authenticator>: RequestInterceptor {
    /// The authenticator's type of credential.
    public typealias Credential = AuthenticatorType.Credential

    /// A limit on the refreshes within a time. Exceeding it is an error, so that a server that refuses every credential does not cause
    /// endless refreshes.
    public struct RefreshWindow: Sendable {
        // Not an alias of the engine's: the compiler could not infer the authenticator where a program writes this without it.

        /// The length of the sliding window in seconds.
        public let interval: TimeInterval
        /// The maximum number of refreshes that may begin within the window.
        public let maximumAttempts: Int

        /// Creates a window.
        ///
        /// - Parameters:
        ///   - interval: The length of the window in seconds. Negative numbers count as 0, which means no limit; NaN counts as 30. Default:
        ///     30.
        ///   - maximumAttempts: The maximum number of refreshes within it, including failed ones. 0 and negative numbers: none. Default: 5.
        public init(interval: TimeInterval = 30, maximumAttempts: Int = 5) {
            self.interval = interval
            self.maximumAttempts = maximumAttempts
        }
    }

    private struct Adaptation: Sendable {
        let urlRequest: URLRequest
        /// Weak, so that a request that waits does not retain its session.
        weak var session: Session?
        let completion: @Sendable (Result<URLRequest, any Error>) -> Void
    }

    private typealias Machine = RefreshMachine<Credential, Adaptation, @Sendable (RetryResult) -> Void>

    private let authenticator: AuthenticatorType
    private let machine: Locked<Machine>
    /// Where what has waited for a refresh goes on, in order.
    private let queue = DispatchQueue(label: "firewheel.alamofire.authentication")

    /// Creates an interceptor for sessions or for single requests.
    ///
    /// - Parameters:
    ///   - authenticator: Applies and refreshes credentials.
    ///   - credential: The first credential. nil: requests fail with `missingCredential` until one is set. Default: nil.
    ///   - refreshWindow: The maximum number of refreshes within a time; one more is `excessiveRefresh`. nil means no limit, so that an
    ///     authenticator whose credentials always require a refresh is asked again and again. Default: 5 within 30 s.
    public init(authenticator: AuthenticatorType, credential: Credential? = nil, refreshWindow: RefreshWindow? = RefreshWindow()) {
        self.authenticator = authenticator
        let window = refreshWindow.map { Firewheel.RefreshWindow(interval: $0.interval, maximumAttempts: $0.maximumAttempts) }
        machine = Locked(Machine(credential: credential, window: window))
    }

    /// The current credential. May be set at any time and on any thread: after logging in, or to nil after logging out.
    ///
    /// A credential that is set during a refresh wins: the requests that wait go on with it, and the result of the refresh is dropped. (In
    /// Alamofire the result replaces it.) If it is nil, they fail when the refresh ends, with its error or `missingCredential`.
    public var credential: Credential? {
        get { machine.withLock { $0.credential } }
        set { goOn(update { $0.replace(with: newValue) }) }
    }

    private func update<Value: Sendable>(_ change: (inout Machine) -> Value) -> Value {
        let (value, replaced) = machine.withLock { machine in
            let old = machine.callersValues
            return (change(&machine), old)
        }
        // Released here and not under the lock, because that may run deinitializers of the program's.
        return withExtendedLifetime(replaced) { value }
    }

    // MARK: Adapting and retrying

    public func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        let adaptation = Adaptation(urlRequest: urlRequest, session: session, completion: completion)
        while true {
            let (credential, version) = machine.withLock { ($0.credential, $0.version) }
            // The program's code, so not under the lock.
            let requiresRefresh = credential?.requiresRefresh ?? false
            switch update({ $0.adapt(adaptation, seeing: version, requiresRefresh: requiresRefresh, now: .now()) }) {
            case .apply(let credential):
                var authenticated = urlRequest
                authenticator.apply(credential, to: &authenticated)
                return completion(.success(authenticated))
            case .fail(let error): return completion(.failure(error))
            case .wait: return
            case .refresh(let ticket, let credential): return refresh(credential, ticket, for: session)
            case .lookAgain: continue
            }
        }
    }

    public func retry(
        _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        guard let urlRequest = request.request, let response = request.response,
            authenticator.didRequest(urlRequest, with: response, failDueToAuthenticationError: error)
        else { return completion(.doNotRetry) }
        let (credential, version) = machine.withLock { ($0.credential, $0.version) }
        guard let credential else { return completion(.doNotRetryWithError(AuthenticationError.missingCredential)) }
        guard authenticator.isRequest(urlRequest, authenticatedWith: credential) else { return completion(.retry) }
        switch update({ $0.retry(completion, seeing: version, now: .now()) }) {
        case .retry: completion(.retry)
        case .fail(let error): completion(.doNotRetryWithError(error))
        case .wait: break
        case .refresh(let ticket, let credential): refresh(credential, ticket, for: session)
        }
    }

    // MARK: Refreshing

    private func refresh(_ credential: Credential, _ ticket: Machine.Ticket, for session: Session) {
        let uncalled = UncalledCompletionError(type: AuthenticatorType.self, method: "refresh")
        // Neither on the caller's stack, which a refresh that completes at once would deepen, nor on the queue, which it may block.
        DispatchQueue.global().async { [self] in
            authenticator.refresh(
                credential, for: session,
                completion: reportingRelease(as: .failure(uncalled)) { result in
                    if let waiting = self.update({ $0.finish(ticket, with: result) }) { self.goOn(waiting) }
                })
        }
    }

    private func goOn(_ waiting: Machine.Waiting) {
        if waiting.isEmpty { return }
        queue.async {
            for adaptation in waiting.adaptations {
                if let error = waiting.error {
                    adaptation.completion(.failure(error))
                } else if let session = adaptation.session {
                    self.adapt(adaptation.urlRequest, for: session, completion: adaptation.completion)
                } else {
                    adaptation.completion(.failure(AFError.sessionDeinitialized))
                }
            }
            for decide in waiting.decisions { decide(waiting.error.map { .doNotRetryWithError($0) } ?? .retry) }
        }
    }
}

extension AuthenticationInterceptor: CustomStringConvertible, CustomReflectable {
    /// The types' names only: the authenticator may hold a client secret.
    public var description: String { "AuthenticationInterceptor<\(AuthenticatorType.self)>" }

    /// Empty, so that `dump` and debuggers show only the description.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
