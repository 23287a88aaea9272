import FirewheelTesting
import Foundation
import Testing

@testable import FirewheelAlamofire

/// Firewheel's own interceptors in sessions of this module.
@Suite("AsyncInterceptor", .timeLimit(.minutes(5)))
struct AsyncInterceptorTests {
    private let sessions = TestSessions()
    private struct Odd: Error {}

    private static let url = "http://stub.test/"

    private func busy(_ headers: HTTPHeaders = [:]) -> StubTransport { .text("busy", status: 503, headers: headers) }

    @Test("Firewheel's retry policy retries, honors Retry-After, and is one of several retriers")
    func retryPolicy() async {
        let stub = busy()
        let policy = AsyncInterceptor(Firewheel.RetryPolicy(limit: 3, backoff: .constant(0)))
        let members = Interceptor(retriers: [Retrier { $3(.doNotRetry) }, policy])
        for interceptor in [policy, members] as [any RequestInterceptor] {
            let count = stub.requests.count
            _ = await sessions(stub, interceptor).request(Self.url).validate().serializingData().response
            #expect(stub.requests.count - count == 4)
        }
        let later = busy(["Retry-After": "3600"])
        _ = await sessions(later).request(Self.url, interceptor: AsyncInterceptor(.retryPolicy(limit: 2))).validate()
            .serializingData().response
        #expect(later.requests.count == 1)
    }

    @Test("An adapter is given the context of the request, in its place among others")
    func adapter() async {
        let (stub, contexts) = (busy(), Notes<RequestContext>())
        let adapter = AsyncInterceptor(
            Firewheel.Adapter { request, context in
                contexts.add(context)
                await Task.yield()
                request.headers.update(name: "X-Step", value: (request.headers["X-Step"] ?? "") + "2")
            })
        func step(_ name: String) -> Adapter {
            Adapter { request, _, completion in
                var request = request
                request.headers.update(name: "X-Step", value: (request.headers["X-Step"] ?? "") + name)
                completion(.success(request))
            }
        }
        let interceptor = Interceptor(adapters: [step("1"), adapter, step("3")], retriers: [RetryPolicy(exponentialBackoffScale: 0)])
        let request = sessions(stub).request(Self.url, interceptor: interceptor).validate()
        _ = await request.serializingData().response
        #expect(stub.requests.map { $0.headers["X-Step"] } == ["123", "123", "123"])
        #expect(contexts.all.map(\.retryCount) == [0, 1, 2])
        #expect(Set(contexts.all.map(\.id)) == [request.base.id])
    }

    @Test("Errors of adapters and retriers are reported as those of the completion form")
    func errors() async {
        let session = sessions(busy())
        let adapter = AsyncInterceptor(Firewheel.Adapter { _, _ in throw Odd() })
        let adaptError = await session.request(Self.url, interceptor: adapter).serializingData().response.error
        #expect(adaptError?.isRequestAdaptationError == true && adaptError?.underlyingError is Odd)
        let given = Notes<any Error>()
        let retrier = AsyncInterceptor(
            Firewheel.Retrier { _, error in
                given.add(error)
                return .doNotRetryWithError(Odd())
            })
        let retryError = await session.request(Self.url, interceptor: retrier).validate().serializingData().response.error
        #expect(retryError?.isRequestRetryError == true && retryError?.underlyingError is Odd)
        #expect(given.all.map { ($0 as? FirewheelError)?.responseCode } == [503])
    }

    @Test("Its task is cancelled with the request", arguments: [true, false])
    func cancelled(whileAdapting: Bool) async {
        let (started, cancelled) = (Notes<Void>(), Notes<Void>())
        @Sendable func waitForCancellation() async {
            await withTaskCancellationHandler {
                started.add(())
                for await _ in AsyncStream.makeStream(of: Void.self).stream {}
            } onCancel: {
                cancelled.add(())
            }
        }
        let interceptor =
            whileAdapting
            ? AsyncInterceptor(Firewheel.Adapter { _, _ in await waitForCancellation() })
            : AsyncInterceptor(
                Firewheel.Retrier { _, _ in
                    await waitForCancellation()
                    return .retry
                })
        let request = sessions(busy()).request(Self.url, interceptor: interceptor).validate()
        let task = request.serializingData()
        await started.wait(for: 1)
        request.cancel()
        #expect(await task.response.error?.isExplicitlyCancelledError == true)
        await cancelled.wait(for: 1)
    }

    @Test("Firewheel's compressor also compresses the bodies of uploads", arguments: [true, false])
    func uploads(isMember: Bool) async throws {
        let stub = StubTransport { _ in [.readBody] + .text("fine") }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
        try Data(String(repeating: "hello ", count: 1_000).utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let compressor = AsyncInterceptor(.deflateCompressor(coding: .gzip))
        let interceptor: any RequestInterceptor = isMember ? Interceptor(interceptors: [compressor]) : compressor
        let response = await sessions(stub).upload(file, to: Self.url, interceptor: interceptor).serializingString().response
        let sent = try #require(stub.requests.first)
        #expect(response.value == "fine" && sent.headers["Content-Encoding"] == "gzip")
        #expect(stub.receivedBody(of: sent.id)?.data.prefix(2) == Data([0x1F, 0x8B]))
    }

    @Test("An interceptor of the program's may call it in the completion form")
    func completionForm() async {
        let (stub, counts) = (busy(), Notes<Int>())
        let adapter = AsyncInterceptor(
            Firewheel.Adapter { request, context in
                counts.add(context.retryCount)
                request.headers.update(name: "X-Step", value: "1")
            })
        let retrier = AsyncInterceptor(Firewheel.RetryPolicy(limit: 1, backoff: .constant(0)))
        struct Wrapper: RequestInterceptor {
            let adapter, retrier: AsyncInterceptor

            func adapt(
                _ urlRequest: URLRequest, using state: RequestAdapterState,
                completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
            ) {
                adapter.adapt(urlRequest, using: state, completion: completion)
            }

            func retry(
                _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
            ) {
                retrier.retry(request, for: session, dueTo: error, completion: completion)
            }
        }
        let wrapper = Wrapper(adapter: adapter, retrier: retrier)
        _ = await sessions(stub).request(Self.url, interceptor: wrapper).validate().serializingData().response
        #expect(stub.requests.map { $0.headers["X-Step"] } == ["1", "1"] && counts.all == [0, 1])
        let plain = Adapter { adapter.adapt($0, for: $1, completion: $2) }
        #expect(await sessions(stub).request(Self.url, interceptor: plain).serializingString().response.value == "busy")
    }

    @Test("It changes and retries nothing that it has no part for")
    func oneSided() async {
        let stub = busy()
        let session = sessions(stub)
        _ = await session.request(Self.url, interceptor: AsyncInterceptor(Firewheel.Adapter { _, _ in })).validate().serializingData()
            .response
        #expect(stub.requests.count == 1)
        let retrier: any Firewheel.RequestRetrier = Firewheel.RetryPolicy(limit: 1, backoff: .constant(0))
        _ = await session.request(Self.url, interceptor: AsyncInterceptor(retrier)).validate().serializingData().response
        #expect(stub.requests.count == 3)
    }
}
