import FirewheelTesting
import Foundation
import Testing

@testable import FirewheelAlamofire

@Suite("RetryPolicy", .timeLimit(.minutes(5)))
struct RetryPolicyTests {
    private let sessions = TestSessions()
    private static let url = "http://stub.test/"

    /// What a policy answers about failures of a request with this status, which is retried at once regardless.
    private func answers(
        _ policy: RetryPolicy, count: Int, status: Int = 503, method: HTTPMethod = .get, to error: (any Error)? = nil
    ) async -> [RetryResult] {
        let answers = Notes<RetryResult>()
        let retrier = Retrier { request, session, own, completion in
            policy.retry(request, for: session, dueTo: error ?? own) { answer in
                completion(answers.add(answer) < count ? .retry : .doNotRetry)
            }
        }
        let session = sessions(StubTransport.text("", status: status))
        let request = session.request(Self.url, method: method, interceptor: retrier).validate { _, _, _ in .failure(Refused()) }
        _ = await request.serializingData().response
        return answers.all
    }

    private struct Refused: Error {}

    @Test("The defaults are Alamofire's")
    func defaults() {
        let methods: Set<HTTPMethod> = [.get, .head, .put, .delete, .options, .trace]
        for policy in [RetryPolicy(), .retryPolicy, .retryPolicy()] {
            #expect(policy.retryLimit == 2 && policy.exponentialBackoffBase == 2 && policy.exponentialBackoffScale == 0.5)
            #expect(policy.retryableHTTPMethods == methods)
            #expect(policy.retryableHTTPStatusCodes == [408, 500, 502, 503, 504])
            #expect(policy.retryableURLErrorCodes == RetryPolicy.defaultRetryableURLErrorCodes)
        }
        #expect(RetryPolicy.defaultRetryableURLErrorCodes.count == 18)
        #expect(RetryPolicy.defaultRetryableURLErrorCodes.isDisjoint(with: [.cancelled, .badURL, .serverCertificateUntrusted]))
        for policy in [ConnectionLostRetryPolicy(), .connectionLostRetryPolicy, .connectionLostRetryPolicy()] {
            #expect(policy.retryLimit == 2 && policy.retryableHTTPMethods == methods)
            #expect(policy.retryableHTTPStatusCodes.isEmpty && policy.retryableURLErrorCodes == [.networkConnectionLost])
        }
    }

    @Test("Delays grow exponentially up to the limit")
    func delays() async {
        let standard = await answers(RetryPolicy(), count: 3)
        #expect(standard.map(\.delay) == [0.5, 1, nil])
        let policy = RetryPolicy(retryLimit: 4, exponentialBackoffBase: 3, exponentialBackoffScale: 0.25)
        let tripled = await answers(policy, count: 5)
        #expect(tripled.map(\.delay) == [0.25, 0.75, 2.25, 6.75, nil])
        #expect(tripled.last?.isDoNotRetry == true)
    }

    @Test(
        "Invalid numbers do not stop the program",
        arguments: [
            (0, 0.5, [0.5, 1]), (1, 0.5, [0.5, 1]), (2, -1, [-1, -2]), (UInt.max, 0, [0, 0]), (2, .infinity, [.infinity, .infinity]),
        ] as [(UInt, Double, [Double])])
    func invalidNumbers(base: UInt, scale: Double, delays: [Double]) async {
        let policy = RetryPolicy(exponentialBackoffBase: base, exponentialBackoffScale: scale)
        #expect(await answers(policy, count: 2).map(\.delay) == delays)
    }

    @Test("A delay that is not a number, and a negative one, mean at once", arguments: [Double.nan, -1])
    func noDelay(scale: Double) async {
        let stub = StubTransport.text("", status: 503)
        let policy = RetryPolicy(exponentialBackoffScale: scale)
        _ = await sessions(stub).request(Self.url, interceptor: policy).validate().serializingData().response
        #expect(stub.requests.count == 3)
    }

    @Test("A limit of 0 means no retries, and the largest one no limit")
    func limits() async {
        #expect(await answers(RetryPolicy(retryLimit: 0), count: 1).map(\.isDoNotRetry) == [true])
        #expect(await answers(RetryPolicy(retryLimit: .max, exponentialBackoffScale: 0), count: 30).compactMap(\.delay).count == 30)
    }

    @Test("Idempotent methods are retried", arguments: [HTTPMethod.get, .head, .put, .delete, .options, .trace, .post, .patch])
    func methods(method: HTTPMethod) async {
        let isRetried = method != .post && method != .patch
        #expect(await answers(RetryPolicy(), count: 1, method: method).map { $0.delay != nil } == [isRetried])
    }

    @Test("Status codes are retried", arguments: [200, 408, 429, 500, 501, 502, 503, 504, 505])
    func statusCodes(status: Int) async {
        let isRetried = RetryPolicy.defaultRetryableHTTPStatusCodes.contains(status)
        #expect(await answers(RetryPolicy(), count: 1, status: status).map { $0.delay != nil } == [isRetried])
    }

    @Test(
        "URLErrors are retried, alone and in an AFError", arguments: [URLError.Code.timedOut, .networkConnectionLost, .badURL, .cancelled])
    func urlErrors(code: URLError.Code) async {
        let isRetried = code == .timedOut || code == .networkConnectionLost
        for error in [URLError(code), AFError.sessionTaskFailed(error: URLError(code))] as [any Error] {
            #expect(await answers(RetryPolicy(), count: 1, status: 200, to: error).map { $0.delay != nil } == [isRetried])
            #expect(
                await answers(ConnectionLostRetryPolicy(), count: 1, to: error).map { $0.delay != nil } == [code == .networkConnectionLost])
        }
    }

    @Test("A request that the transport fails is sent again")
    func transportFailure() async {
        let stub = StubTransport { _ in [.fail(.failed(.networkConnectionLost, "lost"))] }
        let policy = ConnectionLostRetryPolicy(retryLimit: 3, exponentialBackoffScale: 0)
        let response = await sessions(stub, policy).request(Self.url).serializingData().response
        #expect(response.error != nil && stub.requests.count == 4)
    }

    private final class Custom: RetryPolicy, @unchecked Sendable {
        // Sound because it stores nothing.
        override func shouldRetry(request: Request, dueTo error: any Error) -> Bool { request.response?.statusCode == 418 }
    }

    @Test("A subclass decides otherwise")
    func subclass() async {
        let custom = Custom(retryLimit: 1)
        #expect(await answers(custom, count: 2, status: 418, method: .post).map(\.delay) == [0.5, nil])
        #expect(await answers(custom, count: 1, status: 503).map(\.isDoNotRetry) == [true])
    }

    @Test("Retry-After has no effect, as in Alamofire")
    func retryAfter() async {
        let stub = StubTransport.text("", status: 503, headers: ["Retry-After": "3600"])
        let policy: RetryPolicy = .retryPolicy(retryLimit: 1, exponentialBackoffScale: 0)
        _ = await sessions(stub).request(Self.url, interceptor: policy).validate().serializingData().response
        #expect(stub.requests.count == 2)
    }
}
