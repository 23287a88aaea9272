/// The async sequences of a ``DataStreamRequest``: its elements, and then the end of the request as the last one. Creating one attaches it,
/// which starts the request.
///
/// With the default policy, `.unbounded`, nothing is dropped. What comes before somebody iterates is kept in memory; then a slow loop slows
/// the server. With the others the request goes on at its own pace, and elements are dropped as they say.
public struct DataStreamTask: Sendable {
    /// A sequence of what a handler would get.
    public typealias Stream<Success, Failure: Error> = StreamOf<DataStreamRequest.Stream<Success, Failure>>

    private let request: DataStreamRequest

    init(_ request: DataStreamRequest) {
        self.request = request
    }

    // In all of these, `shouldAutomaticallyCancel` decides whether the request is cancelled when the loop is left before the end, or when
    // its task is cancelled. Otherwise the request goes on, and what comes is dropped.

    /// The body in the pieces in which it arrives.
    public func streamingData(
        automaticallyCancelling shouldAutomaticallyCancel: Bool = true, bufferingPolicy: Stream<Data, Never>.BufferingPolicy = .unbounded
    ) -> Stream<Data, Never> {
        stream(shouldAutomaticallyCancel, bufferingPolicy) {
            request.responseStream(on: $0, stream: $1)
        } framing: {
            .data()
        } makeResult: {
            .success($0)
        }
    }

    /// The text of the body as it arrives: see `responseStreamString`.
    public func streamingStrings(
        automaticallyCancelling shouldAutomaticallyCancel: Bool = true,
        bufferingPolicy: Stream<String, Never>.BufferingPolicy = .unbounded
    ) -> Stream<String, Never> {
        stream(shouldAutomaticallyCancel, bufferingPolicy) {
            request.responseStreamString(on: $0, stream: $1)
        } framing: {
            .text()
        } makeResult: { [request] in
            request.didMake(.success($0))
            return .success($0)
        }
    }

    /// The value decoded from each piece of the body as it arrives: see `responseStreamDecodable`.
    public func streamingDecodables<T: Decodable & Sendable>(
        _ type: T.Type = T.self, automaticallyCancelling shouldAutomaticallyCancel: Bool = true,
        bufferingPolicy: Stream<T, AFError>.BufferingPolicy = .unbounded
    ) -> Stream<T, AFError> {
        streamingResponses(
            serializedUsing: DecodableStreamSerializer<T>(), automaticallyCancelling: shouldAutomaticallyCancel,
            bufferingPolicy: bufferingPolicy)
    }

    /// What a serializer makes of each piece of the body as it arrives.
    public func streamingResponses<Serializer: DataStreamSerializer>(
        serializedUsing serializer: Serializer, automaticallyCancelling shouldAutomaticallyCancel: Bool = true,
        bufferingPolicy: Stream<Serializer.SerializedObject, AFError>.BufferingPolicy = .unbounded
    ) -> Stream<Serializer.SerializedObject, AFError> where Serializer.SerializedObject: Sendable {
        stream(shouldAutomaticallyCancel, bufferingPolicy, needsPiecesApart: true) {
            request.responseStream(using: serializer, on: $0, stream: $1)
        } framing: {
            .data()
        } makeResult: { [request] data in
            let result = await request.serializing { serializer.result(of: data) }
            request.didMake(result)
            return result
        }
    }

    /// Cancels the request.
    public func cancel() { request.cancel() }
    /// Resumes the request.
    public func resume() { request.resume() }
    /// Suspends the request.
    public func suspend() { request.suspend() }

    /// - Parameters:
    ///   - attach: Attaches a handler, for a policy that drops elements.
    ///   - framing: How the engine cuts the body into elements, which never fails.
    ///   - makeResult: Makes what the sequence has of an element.
    private func stream<Piece: Sendable, Success: Sendable, Failure>(
        _ cancels: Bool, _ policy: Stream<Success, Failure>.BufferingPolicy, needsPiecesApart: Bool = false,
        attach: (DispatchQueue, @escaping DataStreamRequest.Handler<Success, Failure>) -> DataStreamRequest,
        framing: @escaping @Sendable () -> StreamFraming<Piece>,
        makeResult: @escaping @Sendable (Piece) async -> Result<Success, Failure>
    ) -> Stream<Success, Failure> {
        guard case .unbounded = policy else {
            let (stream, continuation) = AsyncStream.makeStream(
                of: DataStreamRequest.Stream<Success, Failure>.self, bufferingPolicy: policy)
            _ = attach(DispatchQueue(label: "firewheel.stream")) { element in
                continuation.yield(element)
                if element.completion != nil { continuation.finish() }
            }
            return StreamOf { [request] in
                var iterator = stream.makeAsyncIterator()
                let lease = StreamLease(request, cancels: cancels)
                return { lease.passing(await iterator.next()) }
            }
        }
        request.willAttach()
        let pieces = Firewheel.StreamOf(
            request.streamBase, cancelsAutomatically: false, needsPiecesApart: needsPiecesApart, keepsUnread: true,
            makeFraming: framing)
        request.didAttach()
        return StreamOf { [request] in
            var iterator = pieces.makeAsyncIterator()
            let lease = StreamLease(request, cancels: cancels)
            return {
                guard !lease.isOver else { return nil }
                do {
                    if let piece = try await iterator.next() { return lease.element(.stream(await makeResult(piece))) }
                } catch is CancellationError where Task.isCancelled {
                    return lease.passing(nil)
                } catch {
                    // The completion has the error.
                }
                return lease.passing(lease.element(.complete(DataStreamRequest.Completion(of: request))))
            }
        }
    }
}

extension DataStreamRequest {
    /// The async sequences of the response's body.
    public func streamTask() -> DataStreamTask { DataStreamTask(self) }

    /// Runs a serializer where responses are serialized if the session was given a queue for that, and here otherwise.
    fileprivate func serializing<Success: Sendable>(
        _ serialize: @escaping @Sendable () -> Result<Success, AFError>
    ) async -> Result<Success, AFError> {
        guard let queue = base.serializationQueue else { return serialize() }
        return await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: serialize()) }
        }
    }
}

/// Cancels a request when the iteration of its elements is left before the end.
private final class StreamLease: Sendable {
    private let request: DataStreamRequest
    private let cancels: Bool
    private let token: DataStreamRequest.CancellationToken
    private let over = Locked(false)

    init(_ request: DataStreamRequest, cancels: Bool) {
        self.request = request
        self.cancels = cancels
        token = DataStreamRequest.CancellationToken(request)
    }

    deinit {
        end()
    }

    var isOver: Bool { over.withLock { $0 } }

    func element<Success, Failure>(
        _ event: DataStreamRequest.Event<Success, Failure>
    ) -> DataStreamRequest.Stream<Success, Failure> {
        DataStreamRequest.Stream(event: event, token: token)
    }

    /// Watches what the iteration returns: it ends with a completion, or with nil, which without a completion is that of a cancelled task.
    func passing<Success, Failure>(
        _ element: DataStreamRequest.Stream<Success, Failure>?
    ) -> DataStreamRequest.Stream<Success, Failure>? {
        if element?.completion != nil { over.withLock { $0 = true } }
        if element == nil { end() }
        return element
    }

    private func end() {
        let isLeft = over.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isLeft, cancels { request.cancel() }
    }
}
