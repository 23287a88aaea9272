import Foundation

/// A WebSocket (RFC 6455): a request that the server answers with a connection for messages in both directions.
///
/// ```swift
/// let socket = session.webSocket("wss://example.com/prices")
/// try await socket.send("subscribe")
/// for try await message in socket.messages {
///     print(message)
/// }
/// ```
///
/// It is a request like any other: its handshake has the session's interceptors, credentials, cookies, redirects, trust and proxies, and is
/// retried by the same rules. `validate`, `suspend()`, `cancel()`, metrics and events work as elsewhere. It starts when its messages are
/// asked for, when a message or a ping is sent, or with `resume()`. Until the server has opened the WebSocket, what is sent waits. There is
/// no resource timeout, and once it is open no idle timeout: pings find out whether the connection is alive
/// (``WebSocketConfiguration/pingInterval``). `bandwidth` limits what is received; with a limit of what is sent the request fails.
///
/// The request ends with the WebSocket, without an error if you have closed it (``close(code:reason:)``), or the server has with 1000, 1001
/// or no code. Otherwise it ends with ``FirewheelError``: `webSocketFailed`, `transportFailed` if the connection was lost,
/// `explicitlyCancelled` after `cancel()`, which sends no close frame.
public final class WebSocketRequest: Request, StreamedRequest, @unchecked Sendable {
    // Sound like its base class: its stored properties are constants of Sendable types.

    let channel: WebSocketChannel
    private let isFollowed = Locked(false)

    var sink: StreamSink { channel.sink }

    init(call: any RequestCall, channel: WebSocketChannel) {
        self.channel = channel
        super.init(call: call)
    }

    /// The protocol that the server has chosen of those that were offered; nil before it has opened the WebSocket, and if it has chosen
    /// none.
    public var negotiatedProtocol: String? { channel.subprotocol }

    /// The code of the server's close frame, ``WebSocketCloseCode/noStatusReceived`` if that has none; nil without a close frame.
    public var closeCode: WebSocketCloseCode? { channel.closure?.code }

    /// The reason of the server's close frame, which may be empty; nil without a close frame.
    public var closeReason: String? { channel.closure?.reason }

    // MARK: Validation

    /// Rejects the WebSocket if the closure returns a failure for the server's 101, before anything is sent or handed over. The error is
    /// `responseValidationFailed(.customValidationFailed)`, with the closure's as `underlyingError`. Called on a thread that may block,
    /// unless an earlier validation has failed.
    @discardableResult
    @_disfavoredOverload  // Otherwise a multi-statement closure without a result would be taken for one with a missing `return`.
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse) -> ValidationResult) -> Self {
        addHeadValidator(validation)
    }

    /// Rejects the WebSocket if the closure returns a failure with a typed error.
    @discardableResult
    public func validate<Failure: Error>(
        _ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse) -> Result<Void, Failure>
    ) -> Self {
        addHeadValidator { validation($0, $1).mapError { $0 } }
    }

    /// Rejects the WebSocket if the closure throws an error.
    @discardableResult
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse) throws -> Void) -> Self {
        addHeadValidator { request, response in Result { try validation(request, response) } }
    }

    // MARK: Receiving

    /// Calls a handler on the main actor with each message, and with the next when it has returned. That starts the request.
    @discardableResult
    public func onMessage(perform: @escaping @MainActor (WebSocketMessage) -> Void) -> Self {
        onMessage(.mainActor, onMainActor(perform))
    }

    /// Calls a handler on a queue with each message, and with the next when it has returned. That starts the request.
    @discardableResult
    public func onMessage(queue: DispatchQueue, perform: @escaping @Sendable (WebSocketMessage) -> Void) -> Self {
        onMessage(.queue(queue), perform)
    }

    private func onMessage(_ delivery: ResponseDelivery, _ perform: @escaping @Sendable (WebSocketMessage) -> Void) -> Self {
        StreamHandler(MessageFraming(), of: self, cancelsOnError: false, delivery: delivery) { stream in
            if let message = stream.value { perform(message) }
        }.start(self)
        follow()
        return self
    }

    /// Calls a handler on the main actor when the request has ended. That starts it.
    ///
    /// - Parameter perform: Gets the error; nil if the WebSocket was closed as it should be.
    @discardableResult
    public func onClose(perform: @escaping @MainActor ((any Error)?) -> Void) -> Self {
        onClose(.mainActor, onMainActor(perform))
    }

    /// Calls a handler on a queue when the request has ended. That starts it.
    @discardableResult
    public func onClose(queue: DispatchQueue, perform: @escaping @Sendable ((any Error)?) -> Void) -> Self {
        onClose(.queue(queue), perform)
    }

    private func onClose(_ delivery: ResponseDelivery, _ perform: @escaping @Sendable ((any Error)?) -> Void) -> Self {
        follow()
        return attach(
            ResponseHandler(Void.self, owner: .library) { _, error, replacement in
                let error = replacement ?? error
                return ResponseHandler.Made(error: error, delivery: delivery) { perform(error) }
            })
    }

    // MARK: Sending

    /// Sends a message, and returns when it was passed to the network: a server that does not read holds up the sender. Messages keep the
    /// order in which they are sent, and those of concurrent tasks are not mixed.
    ///
    /// - Throws: ``FirewheelError`` of kind `webSocketFailed(.notSent)` if the WebSocket is closed, or ends before; `CancellationError` if
    ///   the task is cancelled meanwhile: then the message may have been sent.
    public func send(_ message: WebSocketMessage) async throws {
        let _: Void = try await perform { completion in
            channel.send(message) { error in completion(error.map { .failure($0) } ?? .success(())) }
        }
    }

    /// Sends a text.
    ///
    /// - Throws: As ``send(_:)-(WebSocketMessage)``.
    public func send(_ text: String) async throws { try await send(.text(text)) }

    /// Sends bytes.
    ///
    /// - Throws: As ``send(_:)-(WebSocketMessage)``.
    public func send(_ data: Data) async throws { try await send(.data(data)) }

    /// Sends a message, and calls a handler on the main actor when it was passed to the network, or with the error of
    /// ``send(_:)-(WebSocketMessage)``.
    public func send(_ message: WebSocketMessage, completionHandler: @escaping @MainActor (Result<Void, any Error>) -> Void) {
        send(message, queue: .main, completionHandler: onMainActor(completionHandler))
    }

    /// Sends a message, and calls a handler on a queue when it was passed to the network, or with the error of
    /// ``send(_:)-(WebSocketMessage)``.
    public func send(
        _ message: WebSocketMessage, queue: DispatchQueue, completionHandler: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        follow()
        // The queue alone releases what the handler captured, and not a thread of the library.
        let handler = Handover(completionHandler)
        channel.send(message) { error in
            queue.async { handler.take()?(error.map { .failure($0) } ?? .success(())) }
        }
    }

    /// Asks the server for a sign of life, and returns the time until its answer.
    ///
    /// - Throws: ``FirewheelError`` of kind `webSocketFailed(.notSent)` if the WebSocket is closed, or ends before the answer;
    ///   `CancellationError` if the task is cancelled meanwhile.
    public func ping() async throws -> Duration {
        let seconds: TimeInterval = try await perform { channel.ping($0) }
        return .nanoseconds(Int64(seconds * 1e9))
    }

    /// Closes the WebSocket: messages that wait are sent before, and the request ends with the server's close frame, for which it waits up
    /// to ``WebSocketConfiguration/closeTimeout``. Messages that arrive meanwhile are handed over. Only the first call counts. A request
    /// that was not started is cancelled. While the handshake is under way, the WebSocket is closed behind it.
    ///
    /// - Parameters:
    ///   - code: One that may be sent (RFC 6455 section 7.4): 1000 to 1003, 1007 to 1014, 3000 to 4999. Default: 1000.
    ///   - reason: For the server's log, at most 123 bytes as UTF-8. With a longer one, or another code, the request ends with
    ///     `webSocketFailed(.invalidClose)`. Default: none.
    @discardableResult
    public func close(code: WebSocketCloseCode = .normalClosure, reason: String = "") -> Self {
        guard !channel.isClosing else { return self }
        guard WebSocketWriter.closePayload(code, reason) != nil else {
            let detail =
                code.isSendable
                ? "the reason of close(code:reason:) has \(reason.utf8.count) bytes, and 123 are the most"
                : "the code \(code) of close(code:reason:) must not be sent (RFC 6455 section 7.4)"
            call.cancel(with: FirewheelError(.webSocketFailed(.invalidClose), detail: detail))
            return self
        }
        guard !isInitialized else { return cancel() }
        follow()
        channel.close(code, reason)
        return self
    }

    /// Waits for the result of an operation of the channel.
    private func perform<Value: Sendable>(
        _ operation: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Int?
    ) async throws -> Value {
        try Task.checkCancellation()
        follow()
        let ticket = Locked<(number: Int?, isCancelled: Bool)>((nil, false))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let number = operation { continuation.resume(with: $0) }
                let isCancelled = ticket.withLock { ticket in
                    ticket.number = number
                    return ticket.isCancelled
                }
                if isCancelled, let number { channel.abandon(number) }
            }
        } onCancel: {
            let number = ticket.withLock { ticket in
                ticket.isCancelled = true
                return ticket.number
            }
            if let number { channel.abandon(number) }
        }
    }

    /// Has the channel told of the request's end, which also starts the request.
    func follow() {
        let isFirst = isFollowed.withLock { isFollowed in
            defer { isFollowed = true }
            return !isFollowed
        }
        guard isFirst else { return }
        let channel = channel
        _ = attach(
            ResponseHandler(Void.self, owner: .library) { _, error, replacement in
                let error = replacement ?? error
                return ResponseHandler.Made(error: error, delivery: .direct) { channel.ended(error) }
            })
    }
}
