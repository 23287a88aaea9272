extension Request {
    /// Calls a closure on the main actor with the task of each attempt, when its `URLRequest` was made. If there is one, the closure is
    /// called at once with the last. Adding it does not start the request.
    @discardableResult
    public func onURLSessionTaskCreation(perform handler: @escaping @MainActor (URLSessionTask) -> Void) -> Self {
        onURLSessionTaskCreation(on: .main, perform: onMainActor(handler))
    }

    /// Calls a closure on a queue with the task of each attempt.
    @discardableResult
    public func onURLSessionTaskCreation(on queue: DispatchQueue, perform handler: @escaping @Sendable (URLSessionTask) -> Void) -> Self {
        // Weak, because the engine's request retains the closure, and this one retains that.
        base.onAttempt { [weak self] in
            guard let task = self?.task else { return }
            queue.async { handler(task) }
        }
        return self
    }
}
