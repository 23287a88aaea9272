/// An adapter with an async form, which the engine calls in place of the completion form: in a task that is cancelled with the request.
protocol AsyncAdapter: RequestAdapter {
    func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest
}

/// A retrier with an async form, which the engine calls in place of the completion form: in a task that is cancelled with the request.
protocol AsyncRetrier: RequestRetrier {
    /// - Parameter error: The engine's own.
    func retry(_ context: RequestContext, dueTo error: any Error) async -> RetryResult
}

extension [any RequestAdapter] {
    /// These adapters, with the members of interceptors in place of those, in calling order.
    var parts: Self { flattened { Interceptor.plain($0)?.adapters } }
}

extension [any RequestRetrier] {
    /// These retriers, with the members of interceptors in place of those, in calling order.
    var parts: Self { flattened { Interceptor.plain($0)?.retriers } }
}

extension Interceptor {
    /// The value as an interceptor that does nothing but call its members. A subclass may do more.
    fileprivate static func plain(_ value: Any) -> Interceptor? {
        guard let interceptor = value as? Interceptor, type(of: interceptor) == Interceptor.self else { return nil }
        return interceptor
    }
}

extension Array {
    /// The elements, with the members of groups in place of those. Without recursion, because groups may be nested deeply.
    fileprivate func flattened(_ members: (Element) -> Self?) -> Self {
        var waiting = Self(reversed())
        var parts = Self()
        while let next = waiting.popLast() {
            if let members = members(next) { waiting += members.reversed() } else { parts.append(next) }
        }
        return parts
    }
}
