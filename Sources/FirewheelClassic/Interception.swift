import Firewheel

// Alamofire 4's protocols for a session's adapter and retrier, which hide Firewheel's of the same names in files that import only this
// module. `@preconcurrency` accepts classes that are not Sendable in Swift 5 mode.

/// Changes a session's requests before they are sent: see `Session.adapter`.
@preconcurrency
public protocol RequestAdapter: Sendable {
    /// Returns the request to send instead. Called for each attempt, on a thread that may block.
    ///
    /// - Throws: Any error: the request fails with `requestAdaptationFailed`, with it as `underlyingError`.
    func adapt(_ urlRequest: URLRequest) throws -> URLRequest
}

/// The answer of a ``RequestRetrier``: whether to retry, and after how many seconds.
public typealias RequestRetryCompletion = @Sendable (_ shouldRetry: Bool, _ timeDelay: TimeInterval) -> Void

/// Decides whether a session's failed requests are retried: see `Session.retrier`.
@preconcurrency
public protocol RequestRetrier: Sendable {
    /// Decides about a failed attempt. Not called for a cancelled request.
    ///
    /// - Parameters:
    ///   - manager: The session.
    ///   - request: The request, with its `response` and its `retryCount`.
    ///   - error: Why the attempt failed.
    ///   - completion: Takes the decision, on any thread. Only the first call counts. If it is released without a call, the request is not
    ///     retried.
    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error, completion: @escaping RequestRetryCompletion)
}

// MARK: - Asking a retrier

/// Returns the decision that a closure passes to its completion; `.doNotRetry` if the task is cancelled or the completion is released.
func retryResult(of ask: (@escaping RequestRetryCompletion) -> Void) async -> RetryResult {
    let answer = RetryAnswer()
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            answer.pass(to: continuation)
            let asked = AskedRetrier(answer: answer)
            ask { shouldRetry, delay in asked.answer.give(shouldRetry ? .retryWithDelay(delay) : .doNotRetry) }
        }
    } onCancel: {
        answer.give(.doNotRetry)
    }
}

/// A one-shot decision.
private final class RetryAnswer: Sendable {
    private enum State: Sendable {
        case open
        case awaited(CheckedContinuation<RetryResult, Never>)
        case given(RetryResult)
    }

    private let state = Locked(State.open)

    func give(_ result: RetryResult) {
        let waiting = state.withLock { state -> CheckedContinuation<RetryResult, Never>? in
            guard case .given = state else {
                defer { state = .given(result) }
                if case .awaited(let continuation) = state { return continuation }
                return nil
            }
            return nil
        }
        waiting?.resume(returning: result)
    }

    func pass(to continuation: CheckedContinuation<RetryResult, Never>) {
        let result = state.withLock { state -> RetryResult? in
            if case .given(let result) = state { return result }
            state = .awaited(continuation)
            return nil
        }
        if let result { continuation.resume(returning: result) }
    }
}

/// What a completion holds: without any more reference to it there is no more answer to come.
private final class AskedRetrier: Sendable {
    let answer: RetryAnswer

    init(answer: RetryAnswer) {
        self.answer = answer
    }

    deinit { answer.give(.doNotRetry) }
}
