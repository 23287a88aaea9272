import Foundation

// Observers of one request. They do not start the request.
extension Request {
    /// Adds a monitor for all further events of this request, called after the session's monitors.
    @discardableResult
    public func eventMonitor(_ monitor: any EventMonitor) -> Self {
        listen(EventListener(monitor)) { _ in nil }
    }

    /// Calls a closure on the main actor with each `URLRequest` that is created for this request, before it is sent. If one exists already,
    /// the closure is called at once; it is never called if none can be created.
    @discardableResult
    public func onURLRequestCreation(perform: @escaping @MainActor (URLRequest) -> Void) -> Self {
        onURLRequestCreation(on: .main, perform: onMainActor(perform))
    }

    /// Calls a closure on a queue with each `URLRequest` that is created for this request, before it is sent.
    @discardableResult
    public func onURLRequestCreation(on queue: DispatchQueue, perform: @escaping @Sendable (URLRequest) -> Void) -> Self {
        let listener = EventListener(queue: queue) {
            if case .createURLRequest = $0 { true } else { false }
        } call: { context, _ in
            if let request = context.request { perform(request) }
        }
        return listen(listener) { $0.requests.isEmpty ? nil : .createURLRequest }
    }

    /// Calls a closure on the main actor with the final response as soon as its head has been received, before its body. If that has
    /// happened already, the closure is called at once; it is never called without a response. It may `cancel()` the request.
    @discardableResult
    public func onHTTPResponse(perform: @escaping @MainActor (HTTPURLResponse) -> Void) -> Self {
        onHTTPResponse(on: .main, perform: onMainActor(perform))
    }

    /// Calls a closure on a queue with the final response as soon as its head has been received, before its body.
    @discardableResult
    public func onHTTPResponse(on queue: DispatchQueue, perform: @escaping @Sendable (HTTPURLResponse) -> Void) -> Self {
        let listener = EventListener(queue: queue) {
            if case .receiveResponse = $0 { true } else { false }
        } call: { context, _ in
            if let response = context.response { perform(response) }
        }
        return listen(listener) { $0.finalHead != nil ? .receiveResponse : nil }
    }

    /// The final response of each attempt as soon as its head has been received, before its body, until the request ends. If called later,
    /// this begins with the last attempt's response, if there is one. Reading does not start the request.
    ///
    /// - Parameter bufferingPolicy: What is kept for a slow reader. Default: all.
    public func httpResponses(
        bufferingPolicy: AsyncStream<HTTPURLResponse>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<HTTPURLResponse> {
        Self.stream(bufferingPolicy) { onHTTPResponse(on: DispatchQueue(label: "firewheel.responses"), perform: $0) }
    }

    /// The `URLRequest` of each attempt before it is sent, until the request ends. If called later, this begins with that of the last
    /// attempt, if there is one. Reading does not start the request.
    ///
    /// - Parameter bufferingPolicy: What is kept for a slow reader. Default: all.
    public func urlRequests(
        bufferingPolicy: AsyncStream<URLRequest>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<URLRequest> {
        Self.stream(bufferingPolicy) { onURLRequestCreation(on: DispatchQueue(label: "firewheel.requests"), perform: $0) }
    }

    /// The request of each attempt as a curl command, as ``cURLDescription(includingCredentials:)`` returns it, until the request ends. If
    /// called later, this begins with that of the last attempt, if there is one. Reading does not start the request.
    ///
    /// - Parameters:
    ///   - includingCredentials: Whether to show secrets. Default: false, which shows `<redacted>` instead.
    ///   - bufferingPolicy: What is kept for a slow reader. Default: all.
    public func cURLDescriptions(
        includingCredentials: Bool = false, bufferingPolicy: AsyncStream<String>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<String> {
        Self.stream(bufferingPolicy) { yield in
            onURLRequestCreation(on: DispatchQueue(label: "firewheel.requests")) {
                yield(CURLCommand.text(for: $0, showsSecrets: includingCredentials))
            }
        }
    }

    /// Calls a closure in each attempt when its `URLRequest` was made. If there is one, the closure is called at once. It is bound to the
    /// same rules as an observer of another product.
    package func onAttempt(perform: @escaping @Sendable () -> Void) {
        let observer = RequestObserver(holdsCallersObjects: true) {
            if case .createURLRequest = $0 { true } else { false }
        } call: { _, _ in
            perform()
        }
        _ = listen(EventListener(observer)) { $0.requests.isEmpty ? nil : .createURLRequest }
    }

    /// What a closure is called with, as a stream that ends when the closure is released.
    ///
    /// - Parameter attach: Attaches the closure, which is released when the request has ended or is released.
    package static func stream<Element: Sendable>(
        _ bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy, attach: (@escaping @Sendable (Element) -> Void) -> Void
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: bufferingPolicy)
        let elements = EndedOnRelease(continuation)
        attach { elements.continuation.yield($0) }
        return stream
    }

    /// Ends a stream when the closure that feeds it is released.
    private final class EndedOnRelease<Element: Sendable>: Sendable {
        let continuation: AsyncStream<Element>.Continuation

        init(_ continuation: AsyncStream<Element>.Continuation) {
            self.continuation = continuation
        }

        deinit {
            continuation.finish()
        }
    }

    // MARK: cURL

    /// The request as an equivalent curl command, or a text that says that the request has not been created, or could not be.
    ///
    /// The command is quoted for a POSIX shell: whatever the request contains, pasting it runs only curl. A body above 100,000 bytes is
    /// replaced with a file name.
    ///
    /// - Parameter includingCredentials: Whether to show secrets in header fields, user information, query items, forms, JSON and other
    ///   text. Default: false, which shows `<redacted>` instead. A body that is not text is shown unredacted, in base64.
    public func cURLDescription(includingCredentials: Bool = false) -> String {
        request.map { CURLCommand.text(for: $0, showsSecrets: includingCredentials) } ?? CURLCommand.unavailable
    }

    /// Calls a closure on the main actor, once, with the request as a curl command, when it has been created or has failed.
    @discardableResult
    public func cURLDescription(includingCredentials: Bool = false, calling handler: @escaping @MainActor (String) -> Void) -> Self {
        cURLDescription(on: .main, includingCredentials: includingCredentials, calling: onMainActor(handler))
    }

    /// Calls a closure on a queue, once, with the request as a curl command, when it has been created or has failed.
    @discardableResult
    public func cURLDescription(
        on queue: DispatchQueue, includingCredentials: Bool = false, calling handler: @escaping @Sendable (String) -> Void
    ) -> Self {
        let listener = EventListener(queue: queue, isOnce: true) {
            switch $0 {
            case .createURLRequest, .failToCreateURLRequest, .finish: true
            default: false
            }
        } call: { context, _ in
            handler(context.request.map { CURLCommand.text(for: $0, showsSecrets: includingCredentials) } ?? CURLCommand.unavailable)
        }
        return listen(listener) { snapshot in
            if !snapshot.requests.isEmpty { return .createURLRequest }
            return snapshot.isSettled ? .finish(error: snapshot.error) : nil
        }
    }

    /// - Parameter missed: An earlier event that the listener must still receive.
    private func listen(_ listener: EventListener, missed: (RequestSnapshot) -> RequestEvent?) -> Self {
        call.listen(listener, missed: missed)
        return self
    }
}
