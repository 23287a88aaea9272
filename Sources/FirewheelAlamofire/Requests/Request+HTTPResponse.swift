// What a request does when the head of its final response has arrived. The body waits until the closures have run, one after the other.
// They are called in each attempt, but not for redirects that are followed. Adding one does not start the request.
extension Request {
    /// Calls a closure on the main actor with the response.
    @discardableResult
    public func onHTTPResponse(perform handler: @escaping @MainActor (HTTPURLResponse) -> Void) -> Self {
        onHTTPResponse(on: .main, perform: onMainActor(handler))
    }

    /// Calls a closure on a queue with the response.
    @discardableResult
    public func onHTTPResponse(on queue: DispatchQueue, perform handler: @escaping @Sendable (HTTPURLResponse) -> Void) -> Self {
        onHTTPResponse(on: queue) { response, completion in
            handler(response)
            completion(.allow)
        }
    }

    /// Calls a closure on the main actor, which decides whether the body is read.
    ///
    /// - Parameter handler: Passes its decision to the completion handler, from any thread. The first call counts. `.cancel`
    ///   cancels the request, and so does a handler that is released without a call. While it is kept without a call, the request waits
    ///   until it is cancelled or its resource timeout is exceeded.
    @_disfavoredOverload
    @discardableResult
    public func onHTTPResponse(
        perform handler:
            @escaping @MainActor (_ response: HTTPURLResponse, _ completion: @escaping @Sendable (ResponseDisposition) -> Void) -> Void
    ) -> Self {
        onHTTPResponse(on: .main) { response, completion in MainActor.assumeIsolated { handler(response, completion) } }
    }

    /// Calls a closure on a queue, which decides whether the body is read.
    @_disfavoredOverload
    @discardableResult
    public func onHTTPResponse(
        on queue: DispatchQueue,
        perform handler:
            @escaping @Sendable (_ response: HTTPURLResponse, _ completion: @escaping @Sendable (ResponseDisposition) -> Void) -> Void
    ) -> Self {
        onHTTPResponse { response -> ResponseDisposition in
            // A request that was cancelled in the meantime needs no decision.
            await Completion.of(or: .cancel) { completion in queue.async { handler(response, completion) } }
        }
    }

    /// Calls an async closure, which decides whether the body is read. `.cancel` cancels the request.
    @_disfavoredOverload
    @discardableResult
    public func onHTTPResponse(perform handler: @escaping @Sendable (HTTPURLResponse) async -> ResponseDisposition) -> Self {
        base.onHTTPResponse(perform: handler)
        return self
    }

    /// Calls an async closure with the response.
    @discardableResult
    public func onHTTPResponse(perform handler: @escaping @Sendable (HTTPURLResponse) async -> Void) -> Self {
        onHTTPResponse { response -> ResponseDisposition in
            await handler(response)
            return .allow
        }
    }
}
