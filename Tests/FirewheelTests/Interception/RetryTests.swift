import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Which questions retriers get, and what a further attempt does.
@Suite("Retries", .timeLimit(.minutes(5)))
struct RetryTests {
    private struct Odd: Error, Equatable {}

    /// A retrier that gives scripted answers, then never retries, and records its questions.
    private final class Scripted: RequestInterceptor {
        let asked = Journal<(context: RequestContext, error: any Error)>()
        private let answers: [RetryResult]

        init(_ answers: RetryResult...) { self.answers = answers }

        func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult {
            asked.add((request, error))
            return asked.count <= answers.count ? answers[asked.count - 1] : .doNotRetry
        }
    }

    private func stub(_ steps: [StubTransport.Step]...) -> StubTransport {
        StubTransport { request in steps[min(request.id.attempt, steps.count - 1)] }
    }

    private static let unavailable: [StubTransport.Step] = [.response(ResponseHead(statusCode: 503)), .finish(body: Data("busy".utf8))]
    private static let fine: [StubTransport.Step] = [.response(ResponseHead(statusCode: 200)), .finish(body: Data("fine".utf8))]

    @Test("A response refused by validation is retried, and the metrics and requests of every attempt are kept")
    func validation() async throws {
        let retrier = Scripted(.retry, .retryWithDelay(0.01))
        let session = Session(transport: stub(Self.unavailable, Self.unavailable, Self.fine))
        let request = session.request("http://stub.test/", interceptor: retrier).validate()
        #expect(try await request.serializingString().value == "fine")
        #expect(request.retryCount == 2 && request.error == nil)
        #expect(request.allMetrics.count == 3 && request.requests.count == 3)
        #expect(request.metrics?.transactionMetrics.first?.response?.statusCode == 200)
        #expect(request.response?.statusCode == 200 && request.data == Data("fine".utf8))
        let asked = retrier.asked.entries
        #expect(asked.map(\.context.retryCount) == [0, 1])
        #expect(asked.allSatisfy { $0.context.response?.statusCode == 503 && $0.context.request?.url?.host == "stub.test" })
        #expect(asked.allSatisfy { kind($0.error) == .responseValidationFailed(.unacceptableStatusCode(503)) })
    }

    @Test("A transport failure is retried")
    func transport() async throws {
        let retrier = Scripted(.retry)
        let session = Session(transport: stub([.fail(.failed(.networkConnectionLost, "gone"))], Self.fine), interceptor: retrier)
        #expect(try await session.request("http://stub.test/").serializingString().value == "fine")
        #expect(retrier.asked.entries.map { kind($0.error) } == [.transportFailed(.networkConnectionLost)])
    }

    @Test("A failure to build the request is retried, and the request is built anew")
    func building() async throws {
        let calls = Journal<Int>()
        let retrier = Scripted(.retry, .retry)
        let session = Session(transport: stub(Self.fine))
        let request = session.request("http://stub.test/", interceptor: retrier) { request in
            calls.add(calls.count)
            if calls.count < 3 { throw Odd() }
            request.headers.update(name: "X-Try", value: "\(calls.count)")
        }
        #expect(try await request.serializingString().value == "fine")
        #expect(request.request?.headers["X-Try"] == "3")
        #expect(retrier.asked.entries.map { kind($0.error) } == [.createURLRequestFailed, .createURLRequestFailed])
    }

    @Test("An adapter's failure is retried")
    func adapting() async throws {
        let retrier = Scripted(.retry)
        let calls = Journal<Int>()
        let session = Session(transport: stub(Self.fine), interceptor: retrier)
        let request = session.request("http://stub.test/").adapt { _, _ in
            calls.add(1)
            if calls.count == 1 { throw Odd() }
        }
        #expect(try await request.serializingString().value == "fine")
        #expect(calls.count == 2)
        let error = try #require(retrier.asked.entries.first?.error as? FirewheelError)
        #expect(error.kind == .requestAdaptationFailed && error.underlyingError is Odd)
    }

    @Test("A serializer's error is retried, and every serializer runs again")
    func serializer() async throws {
        struct Value: Decodable { let number: Int }
        let retrier = Scripted(.retry)
        let good: [StubTransport.Step] = [.response(ResponseHead(statusCode: 200)), .finish(body: Data(#"{"number": 1}"#.utf8))]
        // Handlers that come once the request is over cause no retry.
        let session = Session(transport: stub(Self.fine, good), startRequestsImmediately: false, interceptor: retrier)
        let queue = DispatchQueue(label: "test")
        let journal = Journal<String>()
        let request = session.request("http://stub.test/")
            .responseString(queue: queue) { journal.add($0.value ?? "none") }
            .responseDecodable(queue: queue, of: Value.self) { journal.add("\($0.value?.number ?? 0)") }
            .responseData(queue: queue) { journal.add("\($0.value?.count ?? 0)") }
            .resume()
        #expect(try await journal.wait(for: 3) == [#"{"number": 1}"#, "1", "13"])
        #expect(request.retryCount == 1)
        await queue.drain()
        #expect(journal.count == 3)
    }

    @Test("Handlers attached after the end cause no retry")
    func late() async throws {
        let retrier = Scripted(.retry, .retry)
        let session = Session(transport: stub(Self.fine), interceptor: retrier)
        let request = session.request("http://stub.test/")
        #expect(try await request.serializingString().value == "fine")
        let late = await request.serializingDecodable(Int.self).response
        #expect(late.error != nil && retrier.asked.count == 0 && request.retryCount == 0)
    }

    @Test("A retrier's error fails the request, and keeps the original error")
    func retriersError() async throws {
        let session = Session(transport: stub(Self.unavailable))
        let response = await session.request("http://stub.test/").validate().retry { _, _ in .doNotRetryWithError(Odd()) }
            .serializingString().response
        let error = try #require(response.error as? FirewheelError)
        #expect(error.kind == .requestRetryFailed && error.underlyingError is Odd)
        #expect(kind(error.originalError) == .responseValidationFailed(.unacceptableStatusCode(503)))
        #expect(error.responseCode == 503 && error.responseData == Data("busy".utf8))
    }

    @Test("A retrier's error replaces a serializer's error for its own handler only")
    func retriersErrorForASerializer() async throws {
        let session = Session(transport: stub(Self.fine))
        let queue = DispatchQueue(label: "test")
        let journal = Journal<String>()
        session.request("http://stub.test/").retry { _, _ in .doNotRetryWithError(Odd()) }
            .responseDecodable(queue: queue, of: Int.self) { journal.add(kind($0.error).map { "\($0)" } ?? "none") }
            .responseString(queue: queue) { journal.add($0.value ?? "none") }
        #expect(try await journal.wait(for: 2) == ["requestRetryFailed", "fine"])
    }

    @Test("The session's retrier is asked first, and the request's only if that one does not retry")
    func order() async throws {
        let journal = Journal<String>()
        func retrier(_ name: String, _ answer: RetryResult) -> Retrier {
            Retrier { _, _ in
                journal.add(name)
                return answer
            }
        }
        let session = Session(transport: stub(Self.unavailable, Self.fine), interceptor: retrier("session", .doNotRetry))
        let request = session.request("http://stub.test/", interceptor: retrier("call", .doNotRetry)).validate()
            .interceptor(retrier("added", .retry)).interceptor(retrier("last", .retry))
        #expect(try await request.serializingString().value == "fine")
        #expect(journal.entries == ["session", "call", "added"])
    }

    @Test("Retriers are not asked about a cancel, and a cancel ends a retry delay at once")
    func cancelWhileWaiting() async throws {
        let retrier = Scripted(.retryWithDelay(1000), .retry)
        let session = Session(transport: stub(Self.unavailable), interceptor: retrier)
        let request = session.request("http://stub.test/").validate()
        let task = request.serializingString()
        try await waitUntil("the question") { retrier.asked.count == 1 }
        request.cancel()
        let error = await task.response.error as? FirewheelError
        #expect(error?.isExplicitlyCancelled == true && request.isCancelled)
        #expect(retrier.asked.count == 1 && request.retryCount == 0)
    }

    @Test("A retrier that never answers does not delay a cancel")
    func cancelWhileAsking() async throws {
        let hasBegun = Journal<Int>()
        let session = Session(transport: stub(Self.unavailable))
        let request = session.request("http://stub.test/").validate().retry { _, _ in
            hasBegun.add(1)
            try? await Task.sleep(nanoseconds: 1_000_000_000_000)
            hasBegun.add(2)
            return .retry
        }
        let task = request.serializingString()
        try await waitUntil("the question") { hasBegun.count == 1 }
        request.cancel()
        #expect((await task.response.error as? FirewheelError)?.isExplicitlyCancelled == true)
        // Its task is cancelled with the request.
        try await waitUntil("the end of the retrier") { hasBegun.count == 2 }
    }

    @Test("A retrier that always retries is bounded by the resource timeout")
    func always() async throws {
        let session = Session(transport: stub(Self.unavailable))
        // On a busy machine the first attempt can take longer than a short timeout.
        for timeout in [0.2, 2, 20] {
            let request = session.request("http://stub.test/").validate().timeout(total: timeout).retry { _, _ in .retryWithDelay(0.01) }
            let error = await request.serializingString().response.error as? FirewheelError
            // The timeout ends an attempt or a retrier, or the next attempt would come after it.
            #expect(error?.isTimeout == true || kind(error) == .responseValidationFailed(.unacceptableStatusCode(503)))
            if request.retryCount > 0 { return }
        }
        Issue.record("nothing was retried")
    }

    @Test("A retry decided while the request is suspended starts after resume()")
    func suspended() async throws {
        let asked = Journal<Int>()
        let bench = EngineBench()
        let request = bench.session.request("http://stub.test/").validate().retry { _, _ in
            asked.add(1)
            return .retry
        }
        let task = request.serializingString()
        try await bench.started(request)
        request.suspend()
        bench.transport.deliver((bench.id(request), .end(503)))
        try await waitUntil("the question") { asked.count == 1 }
        await bench.settle()
        #expect(bench.transport.requests.count == 1 && request.retryCount == 0)
        request.resume()
        try await waitUntil("the second attempt") { bench.transport.requests.count == 2 }
        let second = TransportTaskID(request: request.id, attempt: 1, hop: 0)
        #expect(bench.transport.requests.last?.id == second)
        bench.transport.deliver((second, .end(body: "again")))
        #expect(try await task.value == "again")
    }

    @Test("Events report attempts, hops and retries in order")
    func events() async throws {
        let recorder = EventRecorder()
        let session = Session(transport: stub(Self.unavailable, Self.fine), eventMonitors: [recorder])
        _ = try await session.request("http://stub.test/").validate().retry { _, _ in .retryWithDelay(0.001) }.serializingString().value
        #expect(
            try await recorder.words(until: "finish") == [
                "resume", "createURLRequest", "createTask 0.0", "receiveResponse", "gatherMetrics", "completeTask",
                "validate responseValidationFailed(Firewheel.FirewheelError.ResponseValidationFailureReason.unacceptableStatusCode(503))",
                "retry 0.001", "createURLRequest", "createTask 1.0", "receiveResponse", "gatherMetrics", "completeTask", "validate",
                "parseResponse String", "finish",
            ])
        #expect(recorder.context(of: "retry 0.001")?.retryCount == 0)
        #expect(recorder.context(of: "createTask 1.0")?.retryCount == 1)
    }

    // MARK: Downloads

    @Test("Each attempt of a download has its own file, and no earlier file is left")
    func download() async throws {
        let folder = try DownloadTests.Folder()
        let failing: [StubTransport.Step] = [
            .response(ResponseHead(statusCode: 200)), .chunk(Data("partial".utf8)), .fail(.failed(.networkConnectionLost, "")),
        ]
        let whole: [StubTransport.Step] = [.response(ResponseHead(statusCode: 200)), .chunk(Data("whole".utf8)), .finish()]
        let session = Session(
            configuration: .with { $0.temporaryDirectory = folder.url }, transport: stub(failing, whole), interceptor: Scripted(.retry))
        let request = session.download("http://stub.test/")
        let file = try await request.serializingDownloadedFileURL().value
        #expect(try Data(contentsOf: file) == Data("whole".utf8))
        try FileManager.default.removeItem(at: file)
        try await waitUntil("the first file's end") { (try? folder.contents.isEmpty) == true }
    }

    @Test("The bodies of retried attempts are not kept")
    func bodies() async throws {
        let large: [StubTransport.Step] = [.response(ResponseHead(statusCode: 503)), .finish(body: Data(repeating: 1, count: 1 << 20))]
        let session = Session(transport: stub(large, large, Self.fine), interceptor: Scripted(.retry, .retry))
        let request = session.request("http://stub.test/").validate()
        #expect(try await request.serializingString().value == "fine")
        let snapshot = request.call.snapshot
        #expect(snapshot.earlier.count == 2 && snapshot.earlier.allSatisfy { $0.error == nil && $0.data == nil })
    }

    @Test("A retry that cannot be built leaves no file and releases the transport")
    func unbuildable() async throws {
        final class Weak: @unchecked Sendable { weak var transport: StubTransport? }
        let folder = try DownloadTests.Folder()
        let reference = Weak()
        let builds = Journal<Int>()
        let request: DownloadRequest
        do {
            let transport = stub([
                .response(ResponseHead(statusCode: 200)), .chunk(Data("partial".utf8)), .fail(.failed(.networkConnectionLost, "")),
            ])
            reference.transport = transport
            let session = Session(configuration: .with { $0.temporaryDirectory = folder.url }, transport: transport)
            request = session.download("http://stub.test/", interceptor: Scripted(.retry, .retry)) { _ in
                builds.add(1)
                if builds.count > 1 { throw Odd() }
            }
        }
        #expect(kind(await request.serializingDownloadedFileURL().response.error) == .createURLRequestFailed)
        #expect(request.retryCount == 2)
        try await waitUntil("the file's end") { (try? folder.contents.isEmpty) == true }
        try await waitUntil("the transport's end") { reference.transport == nil }
    }

    @Test("Objects captured by closures are released where they may safely call the request")
    func deinitializers() async throws {
        final class Holder: Sendable {
            let request = Journal<Request>()
            deinit { for request in request.entries { request.cancel() } }
        }
        let session = Session(transport: stub(Self.unavailable, Self.fine))
        let queue = DispatchQueue(label: "test")
        for _ in 0..<20 {
            let request: DataRequest
            do {
                let holder = Holder()
                request = session.request("http://stub.test/").validate { _, _, _ in _ = holder }
                    .onURLRequestCreation(on: queue) { _ in _ = holder }.onHTTPResponse(on: queue) { _ in _ = holder }
                    .retry { _, _ in
                        _ = holder
                        return .retry
                    }
                    .onHTTPResponse { _ async in
                        _ = holder
                        return .allow
                    }
                holder.request.add(request)
            }
            #expect(try await request.serializingString().value.isEmpty == false)
        }
    }

    @Test("A placed file is not downloaded again for a serializer's error")
    func placedDownload() async throws {
        let retrier = Scripted(.retry)
        let whole: [StubTransport.Step] = [.response(ResponseHead(statusCode: 200)), .chunk(Data("whole".utf8)), .finish()]
        let transport = stub(whole)
        let session = Session(transport: transport, interceptor: retrier)
        let target = FileManager.default.temporaryDirectory.appendingPathComponent("Firewheel-retry-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: target) }
        let request = session.download("http://stub.test/", to: { _, _ in (target, []) })
        let response = await request.serializingDecodable(Int.self).response
        #expect(response.error != nil && retrier.asked.count == 0 && transport.requests.count == 1)
        #expect(FileManager.default.fileExists(atPath: target.path))
    }
}
