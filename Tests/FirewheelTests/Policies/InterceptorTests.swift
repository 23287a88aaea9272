import Foundation
import Testing

@testable import Firewheel

@Suite("Interceptors")
struct InterceptorTests {
    private struct Refusal: Error, Equatable { let name: String }

    private actor Log {
        var names: [String] = []
        func add(_ name: String) { names.append(name) }
    }

    private let log = Log()
    private let context = RequestContext(id: 1)

    private func adapter(_ name: String, throwing error: Refusal? = nil) -> Adapter {
        Adapter { [log] request, _ in
            await log.add(name)
            if let error { throw error }
            request.headers.update(name: "X-Trail", value: (request.value(forHTTPHeaderField: "X-Trail") ?? "") + name)
        }
    }

    private func retrier(_ name: String, _ result: RetryResult) -> Retrier {
        Retrier { [log] _, _ in
            await log.add(name)
            return result
        }
    }

    /// Adapts and retries.
    private struct Both: RequestInterceptor {
        let log: Log
        func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
            await log.add("both adapts")
            return urlRequest
        }
        func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult {
            await log.add("both retries")
            return .doNotRetry
        }
    }

    private func adapt(_ interceptor: any RequestAdapter) async throws -> URLRequest {
        try await interceptor.adapt(try URLRequest(url: "http://stub.test/", method: .get), for: context)
    }

    @Test("An adapter sees the changes of the previous one, and interceptors run after adapters")
    func chain() async throws {
        let interceptor = Interceptor(adapters: [adapter("a"), adapter("b")], interceptors: [adapter("c"), Both(log: log), adapter("d")])
        #expect(try await adapt(interceptor).value(forHTTPHeaderField: "X-Trail") == "abcd")
        #expect(await log.names == ["a", "b", "c", "both adapts", "d"])
    }

    @Test("The first adapter that throws ends the chain with its error")
    func failure() async throws {
        let interceptor = Interceptor(adapters: [adapter("a"), adapter("b", throwing: Refusal(name: "b")), adapter("c")])
        await #expect(throws: Refusal(name: "b")) { try await adapt(interceptor) }
        #expect(await log.names == ["a", "b"])
    }

    @Test(
        "Retriers are asked in order until one does not answer doNotRetry",
        arguments: [
            ("retry", RetryResult.retry), ("retryWithDelay(3.0)", .retryWithDelay(3)), ("error", .doNotRetryWithError(Refusal(name: "r"))),
        ])
    func retriers(name: String, result: RetryResult) async {
        let interceptor = Interceptor(
            retriers: [retrier("a", .doNotRetry)], interceptors: [Both(log: log), retrier("b", result), retrier("c", .retryWithDelay(99))])
        let answer = await interceptor.retry(context, dueTo: Refusal(name: "x"))
        #expect("\(answer)" == (name == "error" ? "\(result)" : name))
        #expect(await log.names == ["a", "both retries", "b"])
        guard case .doNotRetry = await Interceptor(retriers: [retrier("d", .doNotRetry)]).retry(context, dueTo: Refusal(name: "x")) else {
            Issue.record("nobody asked for a retry")
            return
        }
    }

    @Test("After the task is cancelled, no further adapter is called and no further retrier asked")
    func cancellation() async throws {
        let cancelling = Adapter { _, _ in withUnsafeCurrentTask { $0?.cancel() } }
        let adapting = Task { try await adapt(Interceptor(adapters: [adapter("a"), cancelling, adapter("b")])) }
        await #expect(throws: CancellationError.self) { try await adapting.value }
        let refusing = Retrier { _, _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return .doNotRetry
        }
        let retrying = Task { await Interceptor(retriers: [refusing, retrier("c", .retry)]).retry(context, dueTo: Refusal(name: "x")) }
        guard case .doNotRetry = await retrying.value else {
            Issue.record("a retrier was asked")
            return
        }
        #expect(await log.names == ["a"])
    }

    @Test("An empty interceptor changes nothing and retries nothing")
    func empty() async throws {
        #expect(try await adapt(Interceptor()).allHTTPHeaderFields ?? [:] == [:])
        #expect("\(await Interceptor().retry(context, dueTo: Refusal(name: "x")))" == "doNotRetry")
    }

    @Test("Retriers, and policies without a budget, are known to adapt nothing, also when combined")
    func adaptsNothing() {
        let retriers: [any RequestInterceptor] = [.retrier { _, _ in .retry }, .retryPolicy, .connectionLostRetryPolicy]
        for retrier in retriers { #expect(retrier.isKnownToAdaptNothing) }
        #expect(Interceptor().isKnownToAdaptNothing)
        #expect(Interceptor(retriers: [adapter("a")], interceptors: retriers).isKnownToAdaptNothing)
        #expect(Interceptor(interceptors: [.interceptor(interceptors: retriers)]).isKnownToAdaptNothing)
        let adapters: [any RequestInterceptor] = [adapter("a"), Both(log: log), .retryPolicy(budget: RetryBudget())]
        for adapter in adapters {
            #expect(!adapter.isKnownToAdaptNothing)
            #expect(!Interceptor(interceptors: retriers + [.interceptor(adapters: [adapter])]).isKnownToAdaptNothing)
        }
    }
}
