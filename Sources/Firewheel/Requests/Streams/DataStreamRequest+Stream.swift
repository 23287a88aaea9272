import Foundation

extension DataStreamRequest {
    /// What a stream's handler gets, with the means to end the request.
    public struct Stream<Success: Sendable>: Sendable {
        /// What has happened.
        public let event: Event<Success>
        /// Ends the request.
        public let token: CancellationToken

        /// Ends the request: the handler gets its completion, and no element in between.
        public func cancel() { token.cancel() }

        /// The element; nil if there is none.
        public var value: Success? { if case .stream(.success(let value)) = event { value } else { nil } }

        /// Why the element could not be made, or why the request has failed; nil if neither.
        public var error: (any Error)? {
            switch event {
            case .stream(.success): nil
            case .stream(.failure(let error)): error
            case .complete(let completion): completion.error
            }
        }

        /// The end of the request; nil for an element.
        public var completion: Completion? { if case .complete(let completion) = event { completion } else { nil } }
    }

    /// What can happen in a stream.
    public enum Event<Success: Sendable>: Sendable {
        /// An element, or why it could not be made. Further elements may follow.
        case stream(Result<Success, any Error>)
        /// The end of the request. It comes once, and nothing follows.
        case complete(Completion)
    }

    /// Ends the request that a stream belongs to.
    public struct CancellationToken: Sendable {
        weak var request: DataStreamRequest?

        /// Ends the request, as its own `cancel()` does.
        public func cancel() { request?.cancel() }
    }

    /// How a request ended.
    public struct Completion: Sendable {
        private let outcome: Outcome
        /// Why the request failed; nil if the body is complete.
        public let error: (any Error)?

        init(outcome: Outcome, error: (any Error)?) {
            self.outcome = outcome
            self.error = error
        }

        /// The request as first sent.
        public var request: URLRequest? { outcome.request }
        /// The final response.
        public var response: HTTPURLResponse? { outcome.response }
        /// The metrics of the last attempt.
        public var metrics: TaskMetrics? { outcome.metrics }
        /// The trailer fields behind the body (RFC 9110 section 6.5). Empty without any.
        public var trailers: HTTPHeaders { outcome.trailers }
    }
}
