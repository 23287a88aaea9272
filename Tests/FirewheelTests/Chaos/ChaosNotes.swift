import Firewheel
import Foundation

/// The caller's async code during one trip, and the questions to its retriers.
final class ChaosNotes: Sendable {
    private struct Refusal: Error {}

    /// A question to a retrier.
    struct Question: Sendable, Equatable {
        var retrier: Int
        var attempt: Int
        /// nil for the error of a custom serializer.
        var kind: FirewheelError.Kind?
        /// Whether a cancel, or the session's end, had returned before.
        var isLate = false
    }

    /// The field that names the attempt of a request.
    static let stamp = "X-Chaos-Attempt"

    private let lock = NSLock()
    // Only touched while holding `lock`.
    private nonisolated(unsafe) var asked: [Question] = []
    private nonisolated(unsafe) var isCut = false

    var questions: [Question] { lock.withLock { asked } }

    /// Called after a call has returned that ends the request for good.
    func didCut() { lock.withLock { isCut = true } }

    func with(_ policies: ChaosScenario.Policies, on request: Request) -> Request {
        if policies.isStamped { request.adapt { $0.headers.update(name: Self.stamp, value: "\($1.retryCount)") } }
        for adapter in policies.adapters { request.adapt { try await Self.adapt(&$0, $1, adapter) } }
        for (number, retrier) in policies.retriers.enumerated() {
            request.interceptor(Retrier { await self.decide($0, $1, retrier, number) })
        }
        switch policies.redirects {
        case nil: break
        case .follow: request.redirect(using: .follow)
        case .doNotFollow: request.redirect(using: .doNotFollow)
        case .changing(let pause):
            request.redirect(
                using: .modify { _, request, _ in
                    await Self.wait(pause)
                    var request = request
                    request.headers.add(name: "X-Changed", value: "yes")
                    return request
                })
        case .refusing(let pause):
            request.redirect(
                using: .modify { _, _, _ in
                    await Self.wait(pause)
                    return nil
                })
        case .throwing: request.redirect(using: .modify { _, _, _ in throw Refusal() })
        }
        for gate in policies.gates {
            request.onHTTPResponse { _ async in
                if case .slow(let pause) = gate { await Self.wait(pause) }
                return gate == .cancelling ? .cancel : .allow
            }
        }
        return request
    }

    /// A session interceptor that changes nothing.
    static var interceptor: Interceptor {
        Interceptor(
            adapters: [Adapter { request, _ in request.headers.add(name: "X-Session", value: "yes") }],
            retriers: [Retrier { _, _ in .doNotRetry }])
    }

    private static func adapt(_ request: inout URLRequest, _ context: RequestContext, _ adapter: ChaosScenario.Adapter) async throws {
        if adapter.throwsIn(context.retryCount) { throw Refusal() }
        if case .slow(let pause) = adapter { await wait(pause) }
        request.headers.add(name: "X-Adapted", value: "yes")
    }

    private func decide(
        _ context: RequestContext, _ error: any Error, _ retrier: ChaosScenario.Retrier, _ number: Int
    ) async -> RetryResult {
        let question = Question(retrier: number, attempt: context.retryCount, kind: (error as? FirewheelError)?.kind)
        lock.withLock {
            asked.append(question)
            asked[asked.count - 1].isLate = isCut
        }
        if retrier.pause > 0 { await Self.wait(retrier.pause) }
        return switch retrier.answer(in: context.retryCount) {
        case .never: .doNotRetry
        case .atOnce: .retry
        case .delayed(let milliseconds): .retryWithDelay(TimeInterval(milliseconds) / 1000)
        case .refusal: .doNotRetryWithError(Refusal())
        }
    }

    /// Ends early if the task is cancelled.
    private static func wait(_ microseconds: Int) async { try? await Task.sleep(nanoseconds: UInt64(microseconds) * 1000) }
}
