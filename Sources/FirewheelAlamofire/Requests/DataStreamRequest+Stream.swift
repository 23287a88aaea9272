extension DataStreamRequest {
    /// What a stream's handler gets, with the means to end the request.
    public struct Stream<Success, Failure: Error> {
        /// What has happened.
        public let event: Event<Success, Failure>
        /// Ends the request.
        public let token: CancellationToken

        /// Ends the request with `AFError.explicitlyCancelled`: the handler gets its completion, and no element in between.
        public func cancel() { token.cancel() }
    }

    /// What can happen in a stream.
    public enum Event<Success, Failure: Error> {
        /// An element, or why it could not be made. Further elements may follow.
        case stream(Result<Success, Failure>)
        /// The end of the request. It comes once, and nothing follows.
        case complete(Completion)
    }

    /// How a request ended.
    public struct Completion: Sendable {
        /// The request as first sent. After a retry, that of the last attempt.
        public let request: URLRequest?
        /// The final response; nil if none was received.
        public let response: HTTPURLResponse?
        /// The metrics of the last attempt; nil if nothing was sent.
        public let metrics: TaskMetrics?
        /// Why the request failed; nil if the body is complete.
        public let error: AFError?

        init(_ base: Firewheel.DataStreamRequest.Completion) {
            request = base.request
            response = base.response
            metrics = base.metrics
            error = base.error.map { AFError(ofPipeline: $0) }
        }

        /// - Parameter ended: A request whose outcome is final.
        init(of ended: DataStreamRequest) {
            request = ended.request
            response = ended.response
            metrics = ended.metrics
            error = ended.error
        }
    }

    /// Ends the request that a stream belongs to.
    public struct CancellationToken: Sendable {
        /// Refers to the request, so that an element's copy of the token is not a weak reference of its own, which is costly.
        private final class Reference: Sendable {
            weak let request: DataStreamRequest?

            init(_ request: DataStreamRequest) {
                self.request = request
            }
        }

        private let reference: Reference

        init(_ request: DataStreamRequest) {
            reference = Reference(request)
        }

        /// Ends the request with `AFError.explicitlyCancelled`.
        public func cancel() { reference.request?.cancel() }
    }
}

extension DataStreamRequest.Completion: CustomStringConvertible, CustomReflectable {
    /// How the request ended, without URL and header fields, which may contain credentials.
    public var description: String {
        let status = response.map { "status \($0.statusCode)" } ?? "no response"
        return error.map { "\(status), \($0)" } ?? status
    }

    /// What `dump` and debuggers show: the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension DataStreamRequest.Stream: Sendable where Success: Sendable {}
extension DataStreamRequest.Event: Sendable where Success: Sendable {}

extension DataStreamRequest.Stream {
    /// The element, or why it could not be made; nil for the end of the request.
    public var result: Result<Success, Failure>? { if case .stream(let result) = event { result } else { nil } }

    /// The element; nil if there is none.
    public var value: Success? { if case .success(let value) = result { value } else { nil } }

    /// Why the element could not be made; nil for an element and for the end of the request, which has its own: `completion?.error`.
    public var error: Failure? { if case .failure(let error) = result { error } else { nil } }

    /// The end of the request; nil for an element.
    public var completion: DataStreamRequest.Completion? { if case .complete(let completion) = event { completion } else { nil } }
}
