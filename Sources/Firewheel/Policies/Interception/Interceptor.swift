import Foundation

/// Combines several adapters and retriers.
public struct Interceptor: RequestInterceptor, OptionalAdapter {
    /// The adapters in calling order.
    public let adapters: [any RequestAdapter]
    /// The retriers in calling order.
    public let retriers: [any RequestRetrier]

    /// Creates an interceptor that calls other adapters and retriers in a fixed order.
    ///
    /// - Parameters:
    ///   - adapters: Each adapts the previous one's result. The first error ends the chain.
    ///   - retriers: Called in order until one returns something other than `.doNotRetry`.
    ///   - interceptors: They adapt after `adapters`, and are called after `retriers`.
    public init(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [], interceptors: [any RequestInterceptor] = []
    ) {
        self.adapters = adapters + interceptors
        self.retriers = retriers + interceptors
    }

    /// Calls the adapters in their order, each with the result of the one before.
    ///
    /// - Throws: The first error of an adapter; `CancellationError` if the task is cancelled between two of them.
    public func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
        var request = urlRequest
        for adapter in adapters where !adapter.isKnownToAdaptNothing {
            try Task.checkCancellation()
            request = try await adapter.adapt(request, for: context)
        }
        return request
    }

    /// The first result of a retrier other than `.doNotRetry`. Once the task is cancelled no more retriers are called.
    public func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult {
        for retrier in retriers {
            if Task.isCancelled { break }
            let result = await retrier.retry(request, dueTo: error)
            if case .doNotRetry = result { continue }
            return result
        }
        return .doNotRetry
    }

    var adaptsNothing: Bool { adapters.allSatisfy(\.isKnownToAdaptNothing) }
}

extension RequestAdapter {
    /// The adapters that this one consists of, in calling order, without those that need not be called.
    var parts: [any RequestAdapter] {
        if isKnownToAdaptNothing { return [] }
        return (self as? Interceptor)?.adapters.flatMap(\.parts) ?? [self]
    }
}

extension RequestInterceptor where Self == Interceptor {
    /// Combines several adapters and retriers: see ``Interceptor/init(adapters:retriers:interceptors:)``.
    public static func interceptor(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [], interceptors: [any RequestInterceptor] = []
    ) -> Interceptor {
        Interceptor(adapters: adapters, retriers: retriers, interceptors: interceptors)
    }
}
