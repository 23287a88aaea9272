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
        @inlinable public var value: Success? { if case .stream(.success(let value)) = event { value } else { nil } }

        /// Why the element could not be made, or why the request has failed; nil if neither.
        @inlinable public var error: (any Error)? {
            switch event {
            case .stream(.success): nil
            case .stream(.failure(let error)): error
            case .complete(let completion): completion.error
            }
        }

        /// The end of the request; nil for an element.
        @inlinable public var completion: Completion? { if case .complete(let completion) = event { completion } else { nil } }
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
        /// Refers to the request, so that an element's copy of the token is not a weak reference of its own, which is costly.
        private final class Reference: @unchecked Sendable {
            // Sound because it is only written by the initializer, and weak references may be read by any thread.
            private(set) weak var request: (any StreamedRequest)?

            init(_ request: any StreamedRequest) {
                self.request = request
            }
        }

        private let reference: Reference

        init(of request: any StreamedRequest) {
            reference = Reference(request)
        }

        /// Ends the request, as its own `cancel()` does.
        public func cancel() { reference.request?.cancel() }

        /// An error of an element with what is known of the request.
        func describing(_ error: any Error) -> any Error { reference.request?.describing(error) ?? error }

        /// Ends the request with an error of its stream.
        func cancel(with error: FirewheelError) { reference.request?.cancel(with: error) }
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
        /// Whether the response comes from the network or from the session's cache. ``ResponseSource/network`` without a cache.
        public var source: ResponseSource { outcome.source }
        /// The metrics of the last attempt.
        public var metrics: TaskMetrics? { outcome.metrics }
        /// The trailer fields behind the body (RFC 9110 section 6.5). Empty without any.
        public var trailers: HTTPHeaders { outcome.trailers }
    }
}
