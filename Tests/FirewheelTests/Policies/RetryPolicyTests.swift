import Foundation
import Testing

@testable import Firewheel

@Suite("Retry policy")
struct RetryPolicyTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private let now = Date(timeIntervalSince1970: 784_111_777)

    private func delay(_ failure: RetryableFailure, _ policy: RetryPolicy = RetryPolicy(backoff: .constant(2))) -> TimeInterval? {
        var generator = SystemRandomNumberGenerator()
        return policy.delay(beforeRetrying: failure, now: now, using: &generator)
    }

    @Test("Idempotent methods are retried, in their exact spelling")
    func methods() {
        for method in [HTTPMethod.delete, .get, .head, .options, .put, .query, .trace] {
            #expect(delay(RetryableFailure(method: method, statusCode: 503)) == 2, "\(method)")
        }
        for method in [HTTPMethod.post, .patch, .connect, HTTPMethod(rawValue: "get"), HTTPMethod(rawValue: "")] {
            #expect(delay(RetryableFailure(method: method, statusCode: 503)) == nil, "\(method)")
        }
        #expect(delay(RetryableFailure(method: nil, statusCode: 503)) == nil)
        // A method changed by a redirect handler counts, too.
        #expect(delay(RetryableFailure(method: .get, redirectedMethods: [.get, .post], statusCode: 503)) == nil)
        #expect(delay(RetryableFailure(method: .get, redirectedMethods: [.get, .put], statusCode: 503)) == 2)
        for method in RetryPolicy.defaultMethods { #expect(method.isIdempotent, "\(method)") }
    }

    @Test("The retried statuses are Alamofire's and 429")
    func statusCodes() {
        let retried = (-1...1_000).filter { delay(RetryableFailure(method: .get, statusCode: $0)) != nil }
        #expect(retried == [408, 429, 500, 502, 503, 504])
    }

    @Test("The retried URL errors are Alamofire's")
    func codes() {
        let retried = (-4_000...0).filter { delay(RetryableFailure(method: .get, urlErrorCode: URLError.Code(rawValue: $0))) != nil }
        // The codes as numbered in Apple's <Foundation/NSURLError.h>.
        #expect(
            retried == [
                -3007, -3006, -2000, -1204, -1201, -1200, -1020, -1019, -1018, -1011, -1009, -1006, -1005, -1004, -1003, -1001, -997, -996,
            ])
    }

    @Test("Retry-After is the delay if it is longer than the backoff, for 413, 429 and 503")
    func retryAfter() {
        func answer(_ value: String?, status: Int = 503, _ policy: RetryPolicy = RetryPolicy(backoff: .constant(2))) -> TimeInterval? {
            delay(RetryableFailure(method: .get, statusCode: status, retryAfter: value), policy)
        }
        for (value, expected) in [
            (nil, 2), ("1", 2), ("5", 5), ("60", 60), ("61", nil), ("0", 2), ("-5", 2), ("soon", 2), ("1000000000000000000000", nil),
            ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 08:49:30 GMT", 2), ("Sun, 06 Nov 1994 08:50:38 GMT", nil),
        ] as [(String?, TimeInterval?)] {
            #expect(answer(value) == expected, "\(value ?? "nil")")
            #expect(answer(value, status: 429) == expected, "\(value ?? "nil")")
            for status in [408, 500, 502, 504] { #expect(answer(value, status: status) == 2) }
            #expect(answer(value, RetryPolicy(backoff: .constant(2), honorsRetryAfter: false)) == 2)
        }
        let redirects = RetryPolicy(backoff: .constant(2), statusCodes: [301, 413])
        #expect(answer("5", status: 301, redirects) == 2)
        #expect(answer("5", status: 413, redirects) == 5)
        func bounded(_ bound: TimeInterval) -> RetryPolicy { RetryPolicy(backoff: .constant(0), maximumRetryAfter: bound) }
        #expect(answer("1", bounded(0)) == nil && answer("0", bounded(0)) == 0)
        #expect(answer("1", bounded(-5)) == nil && answer("0", bounded(-5)) == 0)
        #expect(answer("60", bounded(.nan)) == 60 && answer("61", bounded(.nan)) == nil)
        #expect(answer("99999999999", bounded(.infinity)) == 2_147_483_648)
    }

    /// The documented rule, implemented independently.
    private func expected(_ failure: RetryableFailure, limit: Int) -> TimeInterval? {
        guard !failure.isCancelled, failure.method == .get || failure.method == .put else { return nil }
        guard [408, 429, 500, 503].contains(failure.statusCode) || [.timedOut, .networkConnectionLost].contains(failure.urlErrorCode) else {
            return nil
        }
        guard failure.retryCount < limit, limit > 0 else { return nil }
        guard [413, 429, 503].contains(failure.statusCode) else { return 2 }
        switch failure.retryAfter {
        case "7": return 7
        case "61": return nil
        default: return 2
        }
    }

    @Test("Every combination of method, status, error, Retry-After, retry count and limit follows the documented rule")
    func combinations() {
        var failures = [RetryableFailure()]
        func combine<Value>(_ field: WritableKeyPath<RetryableFailure, Value>, _ values: [Value]) {
            failures = failures.flatMap { failure in
                values.map { value in
                    var failure = failure
                    failure[keyPath: field] = value
                    return failure
                }
            }
        }
        combine(\.method, [nil, .get, .put, .post, .patch])
        combine(\.statusCode, [nil, 200, 301, 404, 408, 413, 429, 500, 501, 503])
        combine(\.urlErrorCode, [nil, .timedOut, .cancelled, .badURL, .networkConnectionLost])
        combine(\.retryAfter, [nil, "1", "7", "61", "x"])
        combine(\.isCancelled, [false, true])
        combine(\.retryCount, [-1, 0, 1, 2, 3, .max])
        var wrong: [String] = []
        var retried = 0
        for limit in [Int.min, -1, 0, 1, 2, .max] {
            let policy = RetryPolicy(limit: limit, backoff: .constant(2))
            for failure in failures {
                let delay = delay(failure, policy)
                if delay != expected(failure, limit: limit) { wrong.append("\(failure) of \(limit): \(String(describing: delay))") }
                retried += delay == nil ? 0 : 1
            }
        }
        #expect(wrong.prefix(3) == [])
        #expect(retried > 1_000)
    }

    // MARK: - Sources of status, error and Retry-After

    private func context(
        method: HTTPMethod = .get, status: Int? = nil, retryAfter: String? = nil, retryCount: Int = 0
    ) throws -> RequestContext {
        let request = try URLRequest(url: "http://stub.test/", method: method)
        let response = status.flatMap { status in
            request.url.flatMap {
                HTTPURLResponse(
                    url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: retryAfter.map { ["retry-after": $0] } ?? [:])
            }
        }
        return RequestContext(id: 1, retryCount: retryCount, request: request, response: response)
    }

    private struct UsersError: Error, CustomNSError {
        let cause: any Error
        var errorUserInfo: [String: Any] { [NSUnderlyingErrorKey: cause] }
    }
    private struct Opaque: Error {}

    private func answer(_ context: RequestContext, _ error: any Error, _ policy: RetryPolicy = RetryPolicy(backoff: .constant(2))) async
        -> String
    {
        "\(await policy.retry(context, dueTo: error))"
    }

    @Test("The status and Retry-After come from the context's response, whatever the error")
    func responses() async throws {
        let refused = FirewheelError(.responseValidationFailed(.unacceptableStatusCode(503)))
        #expect(await answer(try context(status: 503, retryAfter: "9"), refused) == "retryWithDelay(9.0)")
        #expect(await answer(try context(status: 503, retryAfter: "7.5"), refused) == "retryWithDelay(8.0)")
        #expect(await answer(try context(status: 429, retryAfter: "3, 9"), refused) == "retryWithDelay(9.0)")
        #expect(await answer(try context(status: 503), Opaque()) == "retryWithDelay(2.0)")
        #expect(await answer(try context(status: 200), Opaque()) == "doNotRetry")
        #expect(await answer(try context(method: .post, status: 503), refused) == "doNotRetry")
        #expect(await answer(try context(status: 503, retryCount: 2), refused) == "doNotRetry")
        #expect(await answer(RequestContext(id: 1), URLError(.timedOut)) == "doNotRetry")
    }

    @Test("A URL error code is found behind other errors too, and a delay of zero retries at once")
    func chains() async throws {
        let lost = FirewheelError(.transportFailed(.networkConnectionLost))
        let foundation = NSError(domain: NSURLErrorDomain, code: -1001)
        for error in [
            lost, URLError(.timedOut), foundation, UsersError(cause: lost), UsersError(cause: UsersError(cause: foundation)),
            FirewheelError(.requestAdaptationFailed, underlyingError: UsersError(cause: URLError(.cannotFindHost))),
        ] as [any Error] {
            #expect(await answer(try context(), error, RetryPolicy(backoff: .constant(0))) == "retry", "\(error)")
        }
        for error in [Opaque(), UsersError(cause: Opaque()), FirewheelError(.invalidURL), URLError(.badURL)] as [any Error] {
            #expect(await answer(try context(), error) == "doNotRetry", "\(error)")
        }
    }

    @Test("A cancelled request is not retried, even if the policy lists its code and status")
    func cancelled() async throws {
        let policy = RetryPolicy(backoff: .constant(0), urlErrorCodes: [.cancelled])
        for error in [
            FirewheelError(.explicitlyCancelled), FirewheelError(.sessionInvalidated), CancellationError(),
            FirewheelError(.requestAdaptationFailed, underlyingError: CancellationError()),
            UsersError(cause: FirewheelError(.explicitlyCancelled)),
        ] as [any Error] {
            #expect(await answer(try context(status: 503), error, policy) == "doNotRetry", "\(error)")
        }
        // A cancellation by another party is a failure like others.
        #expect(await answer(try context(), URLError(.cancelled), policy) == "retry")
    }

    @Test("ConnectionLostRetryPolicy retries only lost connections, whatever the status and Retry-After")
    func connectionLost() async throws {
        let policy = ConnectionLostRetryPolicy(limit: 1, backoff: .constant(3))
        let lost = FirewheelError(.transportFailed(.networkConnectionLost))
        #expect("\(await policy.retry(try context(status: 503, retryAfter: "9"), dueTo: lost))" == "retryWithDelay(3.0)")
        #expect("\(await policy.retry(try context(method: .post), dueTo: lost))" == "doNotRetry")
        #expect("\(await policy.retry(try context(retryCount: 1), dueTo: lost))" == "doNotRetry")
        #expect("\(await policy.retry(try context(status: 503), dueTo: FirewheelError(.transportFailed(.timedOut))))" == "doNotRetry")
    }
}
