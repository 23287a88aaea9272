import FirewheelTesting
import Foundation
import Testing

@testable import FirewheelAlamofire

/// ``Interceptor`` as a program calls it, without a session in between.
@Suite("Interceptor", .timeLimit(.minutes(5)))
struct InterceptorTests {
    private struct Odd: Error {}

    private let session = Session(startRequestsImmediately: false, transport: StubTransport())
    private let urlRequest: URLRequest

    init() throws {
        urlRequest = try URLRequest(url: "http://stub.test/", method: .get)
    }

    private func adding(_ value: String, to request: URLRequest) -> URLRequest {
        var request = request
        request.headers.add(name: "X-Step", value: (request.headers["X-Step"] ?? "") + value)
        return request
    }

    private func adapt(_ interceptor: Interceptor) -> Notes<Result<URLRequest, any Error>> {
        let results = Notes<Result<URLRequest, any Error>>()
        interceptor.adapt(urlRequest, for: session) { results.add($0) }
        return results
    }

    private func steps(_ results: Notes<Result<URLRequest, any Error>>) -> [String?] {
        results.all.map { try? $0.get().headers["X-Step"] }
    }

    private func retry(_ interceptor: Interceptor) -> Notes<RetryResult> {
        let results = Notes<RetryResult>()
        interceptor.retry(session.request(urlRequest), for: session, dueTo: Odd()) { results.add($0) }
        return results
    }

    @Test("An empty one changes nothing and decides nothing, at once")
    func empty() {
        #expect(steps(adapt(Interceptor())) == [nil])
        #expect(retry(Interceptor()).all.map(\.isDoNotRetry) == [true])
    }

    @Test("10,000 adapters and retriers that complete at once do so without deepening the stack")
    func deep() {
        let adapter = Adapter { $2(.success($0)) }
        let many = Interceptor(adapters: Array(repeating: adapter, count: 10_000) + [Adapter { $2(.success(adding("x", to: $0))) }])
        #expect(steps(adapt(many)) == ["x"])
        let retrier = Retrier { $3(.doNotRetry) }
        let retriers = Interceptor(retriers: Array(repeating: retrier, count: 10_000) + [Retrier { $3(.retry) }])
        #expect(retry(retriers).all.map(\.isRetry) == [true])
    }

    @Test("1,000 interceptors, each in another one")
    func nested() {
        var nested = Interceptor(adapters: [Adapter { $2(.success(adding("x", to: $0))) }], retriers: [Retrier { $3(.retry) }])
        for _ in 0..<1_000 { nested = Interceptor(interceptors: [nested]) }
        #expect(steps(adapt(nested)) == ["x"])
        #expect(retry(nested).all.map(\.isRetry) == [true])
    }

    @Test("Adapters that complete on other threads and at once, mixed")
    func mixed() async {
        let later = Adapter { request, _, completion in
            DispatchQueue.global().async { completion(.success(adding("l", to: request))) }
        }
        let now = Adapter { $2(.success(adding("n", to: $0))) }
        let adapters = (0..<200).map { $0 % 3 == 0 ? later : now }
        let results = adapt(Interceptor(adapters: adapters))
        await results.wait(for: 1)
        #expect(steps(results) == [(0..<200).map { $0 % 3 == 0 ? "l" : "n" }.joined()])
    }

    @Test("A completion handler that is called twice continues once")
    func twice() async {
        let held = Notes<@Sendable (Result<URLRequest, any Error>) -> Void>()
        let twice = Adapter { request, _, completion in
            completion(.success(adding("1", to: request)))
            completion(.success(adding("2", to: request)))
        }
        let later = Adapter { _, _, completion in held.add(completion) }
        let last = Adapter { $2(.success(adding("x", to: $0))) }
        let results = adapt(Interceptor(adapters: [twice, later, last]))
        #expect(results.all.isEmpty)
        for _ in 0..<2 { for completion in held.all { completion(.success(adding("3", to: urlRequest))) } }
        #expect(held.all.count == 1)
        #expect(steps(results) == ["3x"])
    }

    @Test("A completion handler that many threads call continues once")
    func manyThreads() async {
        let counted = Notes<Void>()
        let many = Adapter { request, _, completion in
            DispatchQueue.concurrentPerform(iterations: 100) { _ in completion(.success(request)) }
        }
        let last = Adapter { request, _, completion in
            counted.add(())
            completion(.success(request))
        }
        let results = adapt(Interceptor(adapters: [many, last, many, last]))
        await results.wait(for: 1)
        #expect(counted.all.count == 2 && results.all.count == 1)
    }

    @Test("An error ends the chain")
    func failure() {
        let never = Adapter { request, _, completion in
            Issue.record("called after an error")
            completion(.success(request))
        }
        let results = adapt(Interceptor(adapters: [Adapter { $2(.failure(Odd())) }, never]))
        #expect(results.all.map { ($0.error as? Odd) != nil } == [true])
    }

    @Test("The chain is released when it ends")
    func released() {
        final class Object: Sendable {}
        weak var object: Object?
        do {
            let made = Object()
            object = made
            let last = Adapter { request, _, completion in completion(.success(adding("\(made === made)", to: request))) }
            let results = adapt(Interceptor(adapters: [Adapter { $2(.success($0)) }, last]))
            #expect(steps(results) == ["true"])
        }
        #expect(object == nil)
    }

    @Test("Code that keeps a completion handler after its call keeps nothing else")
    func keptHandler() {
        final class Object: Sendable {}
        weak var object: Object?
        let kept = Notes<@Sendable (Result<URLRequest, any Error>) -> Void>()
        do {
            let made = Object()
            object = made
            let keeping = Adapter { request, _, completion in
                kept.add(completion)
                completion(.success(request))
            }
            let last = Adapter { request, _, completion in completion(.success(adding("\(made === made)", to: request))) }
            #expect(steps(adapt(Interceptor(adapters: [keeping, last]))) == ["true"])
        }
        #expect(object == nil && kept.all.count == 1)
    }
}

extension RetryResult {
    var isRetry: Bool { if case .retry = self { true } else { false } }
    var isDoNotRetry: Bool { if case .doNotRetry = self { true } else { false } }

    var delay: TimeInterval? {
        if case .retryWithDelay(let delay) = self { delay } else { nil }
    }

    var error: (any Error)? {
        if case .doNotRetryWithError(let error) = self { error } else { nil }
    }
}

extension Result {
    fileprivate var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}
