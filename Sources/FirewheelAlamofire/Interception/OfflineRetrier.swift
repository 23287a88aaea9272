/// A retrier that sends a request again once the network has come back.
///
/// A request that fails because there is no network waits up to the maximum wait until the Internet is reachable, and is then sent again.
/// If the network is there already, it is sent again at once, but only until it has been retried three times. Every other failure, and one
/// whose wait was in vain, is left to the next retrier.
///
/// Alamofire's initializers with the network monitor and the interface types of Apple's Network framework do not exist here.
public final class OfflineRetrier: RequestInterceptor {
    /// How long a request waits for the network: 5 seconds.
    public static let defaultWait: DispatchTimeInterval = .seconds(5)
    /// The codes of errors that mean that there is no network: `.notConnectedToInternet`.
    public static let defaultURLErrorOfflineCodes: Set<URLError.Code> = [.notConnectedToInternet]
    /// Whether an error is a `URLError` with one of ``defaultURLErrorOfflineCodes``, or an ``AFError`` around one.
    public static let defaultIsOfflineError: @Sendable (_ error: any Error) -> Bool = { error in
        error.urlErrorCode.map(defaultURLErrorOfflineCodes.contains) ?? false
    }

    private let base: Firewheel.OfflineRetrier
    private let isOfflineError: @Sendable (_ error: any Error) -> Bool

    /// Creates a retrier.
    ///
    /// - Parameters:
    ///   - maximumWait: How long a request waits for the network. 0 and less: not at all, so that it is sent again only if the network is
    ///     there already. Default: 5 seconds.
    ///   - isOfflineError: Whether an error means that there is no network. Default: ``defaultIsOfflineError``.
    public convenience init(
        maximumWait: DispatchTimeInterval = OfflineRetrier.defaultWait,
        isOfflineError: @escaping @Sendable (_ error: any Error) -> Bool = OfflineRetrier.defaultIsOfflineError
    ) {
        self.init(Firewheel.OfflineRetrier(maximumWait: maximumWait.seconds), isOfflineError: isOfflineError)
    }

    init(_ base: Firewheel.OfflineRetrier, isOfflineError: @escaping @Sendable (_ error: any Error) -> Bool) {
        self.base = base
        self.isOfflineError = isOfflineError
    }

    public func retry(
        _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        guard isOfflineError(error) else { return completion(.doNotRetry) }
        let context = RequestContext(of: request, in: session)
        Task { [base] in completion(await base.retryWhenOnline(context)) }
    }
}

extension OfflineRetrier: AsyncRetrier {
    func retry(_ context: RequestContext, dueTo error: any Error) async -> RetryResult {
        isOfflineError(AFError(ofPipeline: error)) ? await base.retryWhenOnline(context) : .doNotRetry
    }
}

extension RequestRetrier where Self == OfflineRetrier {
    /// An ``OfflineRetrier``: see its initializer.
    public static func offlineRetrier(
        maximumWait: DispatchTimeInterval = OfflineRetrier.defaultWait,
        isOfflineError: @escaping @Sendable (_ error: any Error) -> Bool = OfflineRetrier.defaultIsOfflineError
    ) -> OfflineRetrier {
        OfflineRetrier(maximumWait: maximumWait, isOfflineError: isOfflineError)
    }
}

extension DispatchTimeInterval {
    /// The interval in seconds; infinite for `.never`.
    fileprivate var seconds: TimeInterval {
        switch self {
        case .seconds(let number): TimeInterval(number)
        case .milliseconds(let number): TimeInterval(number) / 1e3
        case .microseconds(let number): TimeInterval(number) / 1e6
        case .nanoseconds(let number): TimeInterval(number) / 1e9
        case .never: .infinity
        @unknown default: .infinity
        }
    }
}
