import Foundation

/// Observes one request for another product, which passes on to its own monitors what they ask for.
///
/// It costs less than an ``EventMonitor``, because it is called where events occur and only for those that it asks for.
package struct RequestObserver: Sendable {
    let holdsCallersObjects: Bool
    let hears: @Sendable (RequestEvent) -> Bool
    let call: @Sendable (RequestContext, RequestEvent) -> Void

    /// - Parameters:
    ///   - holdsCallersObjects: Whether it may hold the last reference to an object of the caller's when it is called or released. Then this
    ///     does not happen on a transport's thread.
    ///   - hears: Whether it is called for an event. It is called under a lock, and may only look at the event.
    ///   - call: Called with events in order and one at a time, on the threads where they occur, which it must not block. It must not call
    ///     the caller's code.
    package init(
        holdsCallersObjects: Bool, hears: @escaping @Sendable (RequestEvent) -> Bool,
        call: @escaping @Sendable (RequestContext, RequestEvent) -> Void
    ) {
        self.holdsCallersObjects = holdsCallersObjects
        self.hears = hears
        self.call = call
    }
}

extension Request {
    /// Adds an observer, which is released when the outcome is final.
    package func observe(_ observer: RequestObserver) {
        call.listen(EventListener(observer)) { _ in nil }
    }

    /// Calls a closure in turn with the events, after those that have occurred. It is bound to the same rules as an observer. Without
    /// observers it is called at once.
    package func report(_ event: @escaping @Sendable () -> Void) {
        call.report(event)
    }

    /// Calls a closure with the result of each validation that runs, on the thread of the validation: nil if the response is valid.
    package func observeValidations(_ report: @escaping @Sendable (ValidatedResponse, (any Error)?) -> Void) {
        _ = configure { $0.validationReport = report }
    }
}

/// The response that a validation was given.
package struct ValidatedResponse: Sendable {
    private let outcome: Outcome

    init(_ outcome: Outcome) {
        self.outcome = outcome
    }

    package var request: URLRequest? { outcome.request }
    package var response: HTTPURLResponse? { outcome.response }
    package var data: Data? { outcome.data }
    /// The downloaded file, before it is moved to its destination.
    package var fileURL: URL? { outcome.temporaryURL }
}
