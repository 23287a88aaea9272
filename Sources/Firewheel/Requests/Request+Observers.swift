import Foundation

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

    /// `validate()` as two validations, of the status and of the media type, each with a result of its own. A 304 does not pass.
    package func validateInSteps() {
        _ = addValidators(Validation.standardSteps)
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
