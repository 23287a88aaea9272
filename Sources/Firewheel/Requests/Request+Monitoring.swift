import Foundation

// What a caller may listen to. None of it starts the request.
extension Request {
    /// Tells a monitor of all that happens to this request from here on, after the session's monitors.
    @discardableResult
    public func eventMonitor(_ monitor: any EventMonitor) -> Self {
        listen(EventListener(monitor)) { _ in nil }
    }

    /// Calls a closure on the main actor with each request that is made for this one, before it is sent. At once if that has been done;
    /// never if none can be made.
    @discardableResult
    public func onURLRequestCreation(perform: @escaping @MainActor (URLRequest) -> Void) -> Self {
        onURLRequestCreation(on: .main, perform: onMainActor(perform))
    }

    /// Calls a closure on a queue with each request that is made for this one, before it is sent.
    @discardableResult
    public func onURLRequestCreation(on queue: DispatchQueue, perform: @escaping @Sendable (URLRequest) -> Void) -> Self {
        let listener = EventListener(queue: queue) {
            if case .createURLRequest = $0 { true } else { false }
        } call: { context, _ in
            if let request = context.request { perform(request) }
        }
        return listen(listener) { $0.requests.isEmpty ? nil : .createURLRequest }
    }

    /// Calls a closure on the main actor with the final response as soon as its head is there, before its body. At once if it is there
    /// already; never if none comes. To stop at what it says, `cancel()` the request.
    @discardableResult
    public func onHTTPResponse(perform: @escaping @MainActor (HTTPURLResponse) -> Void) -> Self {
        onHTTPResponse(on: .main, perform: onMainActor(perform))
    }

    /// Calls a closure on a queue with the final response as soon as its head is there, before its body.
    @discardableResult
    public func onHTTPResponse(on queue: DispatchQueue, perform: @escaping @Sendable (HTTPURLResponse) -> Void) -> Self {
        let listener = EventListener(queue: queue) {
            if case .receiveResponse = $0 { true } else { false }
        } call: { context, _ in
            if let response = context.response { perform(response) }
        }
        return listen(listener) { $0.finalHead != nil ? .receiveResponse : nil }
    }

    // MARK: cURL

    /// The request as a command of curl that sends the same. A text that says so where the request has not been made yet, or could not be.
    ///
    /// The command is made for a POSIX shell: whatever is in the request, pasting it runs curl and nothing else. In the place of a body
    /// above 100,000 bytes stands the name of a file.
    ///
    /// - Parameter includingCredentials: Whether header fields, user information, query items, and what is in forms, JSON and other text
    ///   under the name of a secret are shown. Default: false, and they read `<redacted>`. A body that is no text is shown as it is, in
    ///   base64.
    public func cURLDescription(includingCredentials: Bool = false) -> String {
        request.map { CURLCommand.text(for: $0, showsSecrets: includingCredentials) } ?? CURLCommand.unavailable
    }

    /// Calls a closure on the main actor, once, with the request as a command of curl, when the request has been made or has failed.
    @discardableResult
    public func cURLDescription(includingCredentials: Bool = false, calling handler: @escaping @MainActor (String) -> Void) -> Self {
        cURLDescription(on: .main, includingCredentials: includingCredentials, calling: onMainActor(handler))
    }

    /// Calls a closure on a queue, once, with the request as a command of curl, when the request has been made or has failed.
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

    /// - Parameter missed: What the listener has missed and has to hear.
    private func listen(_ listener: EventListener, missed: (RequestSnapshot) -> RequestEvent?) -> Self {
        call.listen(listener, missed: missed)
        return self
    }
}
