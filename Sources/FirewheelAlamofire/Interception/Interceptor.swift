/// A closure in place of ``RequestAdapter/adapt(_:for:completion:)``.
public typealias AdaptHandler =
    @Sendable (
        _ request: URLRequest, _ session: Session, _ completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) -> Void

/// A closure in place of ``RequestRetrier/retry(_:for:dueTo:completion:)``.
public typealias RetryHandler =
    @Sendable (
        _ request: Request, _ session: Session, _ error: any Error, _ completion: @escaping @Sendable (RetryResult) -> Void
    ) -> Void

/// Adapts requests with a closure.
open class Adapter: RequestInterceptor, @unchecked Sendable {
    // Sound because its stored property is a constant of a Sendable type. The compiler cannot infer this because the class is open.
    private let handler: AdaptHandler

    /// Creates an adapter that calls a closure.
    @preconcurrency
    public init(_ adaptHandler: @escaping AdaptHandler) {
        handler = adaptHandler
    }

    @preconcurrency
    open func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        handler(urlRequest, session, completion)
    }

    @preconcurrency
    open func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        handler(urlRequest, state.session, completion)
    }
}

/// Retries requests as a closure decides.
open class Retrier: RequestInterceptor, @unchecked Sendable {
    // Sound like `Adapter`.
    private let handler: RetryHandler

    /// Creates a retrier that calls a closure.
    @preconcurrency
    public init(_ retryHandler: @escaping RetryHandler) {
        handler = retryHandler
    }

    @preconcurrency
    open func retry(
        _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        handler(request, session, error, completion)
    }
}

/// Several adapters, which change a request one after the other until one fails, and retriers, which are asked one after the other until
/// one answers anything but `.doNotRetry`.
open class Interceptor: RequestInterceptor, @unchecked Sendable {
    // Sound because its stored properties are constants of Sendable types.

    /// The adapters, in the order in which they are called.
    public let adapters: [any RequestAdapter]
    /// The retriers, in the order in which they are called.
    public let retriers: [any RequestRetrier]

    /// Creates an interceptor from two closures.
    @preconcurrency
    public init(adaptHandler: @escaping AdaptHandler, retryHandler: @escaping RetryHandler) {
        adapters = [Adapter(adaptHandler)]
        retriers = [Retrier(retryHandler)]
    }

    /// Creates an interceptor from an adapter and a retrier.
    public init(adapter: any RequestAdapter, retrier: any RequestRetrier) {
        adapters = [adapter]
        retriers = [retrier]
    }

    /// Creates an interceptor from adapters, retriers, and interceptors, which are called after those.
    public init(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [], interceptors: [any RequestInterceptor] = []
    ) {
        self.adapters = adapters + interceptors
        self.retriers = retriers + interceptors
    }

    @preconcurrency
    open func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        adapt(urlRequest, { $0.adapt($1, for: session, completion: $2) }, completion: completion)
    }

    @preconcurrency
    open func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        adapt(urlRequest, { $0.adapt($1, using: state, completion: $2) }, completion: completion)
    }

    @preconcurrency
    open func retry(
        _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        Relay.run(
            retriers.parts, from: RetryResult.doNotRetry,
            input: { result -> Void? in if case .doNotRetry = result { () } else { nil } },
            call: { retrier, _, completion in retrier.retry(request, for: session, dueTo: error, completion: completion) },
            finish: completion)
    }

    private typealias Handler = @Sendable (Result<URLRequest, any Error>) -> Void

    private func adapt(
        _ request: URLRequest, _ call: @escaping @Sendable (any RequestAdapter, URLRequest, @escaping Handler) -> Void,
        completion: @escaping Handler
    ) {
        Relay.run(adapters.parts, from: .success(request), input: { try? $0.get() }, call: call, finish: completion)
    }
}

extension RequestAdapter where Self == Adapter {
    /// An adapter that calls a closure.
    @preconcurrency
    public static func adapter(using closure: @escaping AdaptHandler) -> Adapter { Adapter(closure) }
}

extension RequestRetrier where Self == Retrier {
    /// A retrier that calls a closure.
    @preconcurrency
    public static func retrier(using closure: @escaping RetryHandler) -> Retrier { Retrier(closure) }
}

extension RequestInterceptor where Self == Interceptor {
    /// An interceptor from two closures.
    @preconcurrency
    public static func interceptor(adapter: @escaping AdaptHandler, retrier: @escaping RetryHandler) -> Interceptor {
        Interceptor(adaptHandler: adapter, retryHandler: retrier)
    }

    /// An interceptor from an adapter and a retrier.
    public static func interceptor(adapter: any RequestAdapter, retrier: any RequestRetrier) -> Interceptor {
        Interceptor(adapter: adapter, retrier: retrier)
    }

    /// An interceptor from adapters, retriers, and interceptors, which are called after those.
    public static func interceptor(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [], interceptors: [any RequestInterceptor] = []
    ) -> Interceptor {
        Interceptor(adapters: adapters, retriers: retriers, interceptors: interceptors)
    }
}
