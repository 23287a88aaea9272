import Foundation

// What a product with request types of its own needs, which hold requests of this library.
extension Request {
    /// Retains an object that stands for this request until the request ends. To be called when it starts: before, the object holds the
    /// request, and both would retain each other for good.
    package func keep(_ companion: any AnyObject & Sendable) {
        _ = configure { $0.companion = companion }
    }

    /// The object that stands for this request, from its start to its end.
    package var companion: (any AnyObject & Sendable)? { call.companion }

    /// Builds and adapts the request before `resume()`, which then only sends it. Has no effect once it was started.
    package func prepare() { call.prepare(self) }

    /// The request that was last sent, or is about to be: after redirects.
    package var currentRequest: URLRequest? { call.snapshot.lastHop?.makeURLRequest() }

    /// The session's queue for serializers, if it was given one.
    package var serializationQueue: DispatchQueue? { call.serializationQueue }

    /// Whether the outcome is final.
    package var isSettled: Bool { call.snapshot.isSettled }

    /// What is known of an attempt that was retried: the last request that it sent, its response and its error. nil for the last attempt.
    package func retriedAttempt(_ index: Int) -> (request: URLRequest?, response: HTTPURLResponse?, error: (any Error)?)? {
        // Attempts that sent nothing are neither in this list nor in the requests, so that the index is the same.
        let earlier = call.snapshot.earlier
        guard earlier.indices.contains(index) else { return nil }
        let outcome = earlier[index]
        return (outcome.hops.last?.request.makeURLRequest(), outcome.response, outcome.error)
    }

    /// The error of the attempt that has ended last, while a retry may still replace it.
    package var attemptError: (any Error)? { call.snapshot.outcome?.error }

    /// The number of attempts whose request was made.
    package var taskCount: Int { call.snapshot.requests.count }
}
