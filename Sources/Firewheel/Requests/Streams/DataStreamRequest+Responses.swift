import Foundation

// Each has two overloads, for the main actor and for a queue, as the handlers of other requests. A handler gets the next element when it
// has returned from the last. If it throws, the request ends with its error.
extension DataStreamRequest {
    /// The default limit of a line, in bytes.
    public static let defaultMaximumLineLength = 1 << 20

    /// Calls a handler on the main actor with each piece of the body as it arrives, and with the end.
    @discardableResult
    public func responseStream(stream: @escaping @MainActor (Stream<Data>) throws -> Void) -> Self {
        handle(DataFraming(), on: .mainActor, onMainActor(stream))
    }

    /// Calls a handler on a queue with each piece of the body as it arrives, and with the end.
    @discardableResult
    public func responseStream(queue: DispatchQueue, stream: @escaping @Sendable (Stream<Data>) throws -> Void) -> Self {
        handle(DataFraming(), on: .queue(queue), stream)
    }

    /// Calls a handler on the main actor with the text of the body as it arrives, and with the end.
    ///
    /// The text is UTF-8 whatever the response declares. No character's bytes are split, a byte order mark is removed, and bytes that are
    /// not UTF-8 become U+FFFD (the Encoding standard's UTF-8 decode).
    @discardableResult
    public func responseStreamString(stream: @escaping @MainActor (Stream<String>) throws -> Void) -> Self {
        handle(TextFraming(), on: .mainActor, onMainActor(stream))
    }

    /// Calls a handler on a queue with the text of the body as it arrives, and with the end.
    @discardableResult
    public func responseStreamString(queue: DispatchQueue, stream: @escaping @Sendable (Stream<String>) throws -> Void) -> Self {
        handle(TextFraming(), on: .queue(queue), stream)
    }

    /// Calls a handler on the main actor with each line of the body, and with the end.
    ///
    /// A line ends with LF, CRLF, CR or the body, and comes without its end; empty lines count. The text is decoded as by
    /// ``responseStreamString(stream:)``.
    ///
    /// - Parameters:
    ///   - maximumLength: The most bytes of a line. A longer one ends the request: `responseStreamFailed(.lineTooLong)`. Default: 1 MiB.
    ///   - stream: The handler.
    @discardableResult
    public func responseStreamLines(
        maximumLength: Int = defaultMaximumLineLength, stream: @escaping @MainActor (Stream<String>) throws -> Void
    ) -> Self {
        handle(LineFraming(maximumLength: maximumLength), on: .mainActor, onMainActor(stream))
    }

    /// Calls a handler on a queue with each line of the body, and with the end.
    @discardableResult
    public func responseStreamLines(
        queue: DispatchQueue, maximumLength: Int = defaultMaximumLineLength,
        stream: @escaping @Sendable (Stream<String>) throws -> Void
    ) -> Self {
        handle(LineFraming(maximumLength: maximumLength), on: .queue(queue), stream)
    }

    /// Calls a handler on the main actor with the value decoded from each line of the body (NDJSON, JSON Lines), and with the end. Blank
    /// lines are skipped.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: Default: nil, which means the ``SessionConfiguration/decoder`` of the session.
    ///   - maximumLength: The most bytes of a line. A longer one ends the request: `responseStreamFailed(.lineTooLong)`. Default: 1 MiB.
    ///   - stream: The handler. A line that cannot be decoded is a `responseSerializationFailed(.decodingFailed)` in its place.
    @discardableResult
    public func responseStreamDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil, maximumLength: Int = defaultMaximumLineLength,
        stream: @escaping @MainActor (Stream<Value>) throws -> Void
    ) -> Self {
        handle(framing(maximumLength, decoder), on: .mainActor, onMainActor(stream))
    }

    /// Calls a handler on a queue with the value decoded from each line of the body, and with the end.
    @discardableResult
    public func responseStreamDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, queue: DispatchQueue, decoder: (any DataDecoder)? = nil,
        maximumLength: Int = defaultMaximumLineLength, stream: @escaping @Sendable (Stream<Value>) throws -> Void
    ) -> Self {
        handle(framing(maximumLength, decoder), on: .queue(queue), stream)
    }

    /// - Parameter decoder: nil: the session's.
    func framing<Value>(_ maximumLength: Int, _ decoder: (any DataDecoder)?) -> DecodingFraming<Value> {
        // The call retains its readers.
        DecodingFraming(maximumLength: maximumLength, decoder: decoder ?? call.decoder.decoder) { [weak call] in
            call?.snapshot.finalHead?.head.headers.singleton("Content-Type")
        }
    }

    /// Attaches a handler.
    package func handle<Value>(
        _ framing: sending StreamFraming<Value>, on delivery: ResponseDelivery,
        _ handler: @escaping @Sendable (Stream<Value>) throws -> Void
    ) -> Self {
        StreamHandler(framing, of: self, cancelsOnError: automaticallyCancelOnStreamError, delivery: delivery, handler: handler).start(self)
        return self
    }
}

/// Wraps a throwing handler of the main actor for calls on the main queue, which is the main actor's executor.
private func onMainActor<Value>(
    _ handler: @escaping @MainActor (DataStreamRequest.Stream<Value>) throws -> Void
) -> @Sendable (DataStreamRequest.Stream<Value>) throws -> Void {
    { stream in try MainActor.assumeIsolated { try handler(stream) } }
}
