import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Retries and the resource timeout.
@Suite("Retries and the resource timeout", .timeLimit(.minutes(5)))
struct RetryDeadlineTests {
    private let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 503)), .finish(body: Data("busy".utf8))] }

    @Test("A retry that would come after the resource timeout is not awaited, and the request fails at once")
    func tooLate() async throws {
        let recorder = EventRecorder()
        let session = Session(transport: stub, eventMonitors: [recorder])
        let request = session.request("http://stub.test/").validate().timeout(total: 60).retry { _, _ in .retryWithDelay(1000) }
        let error = await request.serializingString().response.error as? FirewheelError
        #expect(kind(error) == .responseValidationFailed(.unacceptableStatusCode(503)) && error?.responseData == Data("busy".utf8))
        #expect(error?.originalError == nil && request.retryCount == 0)
        try await waitUntil("the last event") { recorder.words.last?.hasPrefix("finish") == true }
        #expect(recorder.words.allSatisfy { !$0.hasPrefix("retry") })
    }

    @Test("A retry for a serializer's error that would come after the resource timeout is not awaited")
    func serializer() async throws {
        let request = Session(transport: stub).request("http://stub.test/").timeout(total: 60).retry { _, _ in .retryWithDelay(1000) }
        let response = await request.serializingDecodable(Int.self).response
        #expect(kind(response.error) != .transportFailed(.timedOut) && response.error != nil && request.retryCount == 0)
    }

    @Test("A retry decided while suspended is dropped if, counted from resume(), it would exceed the resource timeout")
    func suspended() async throws {
        let bench = EngineBench()
        let asked = Journal<Int>()
        let request = bench.session.request("http://stub.test/").validate().timeout(total: 60).retry { _, _ in
            asked.add(1)
            return .retryWithDelay(1000)
        }
        let task = request.serializingString()
        try await bench.started(request)
        request.suspend()
        bench.transport.deliver((bench.id(request), .end(503)))
        _ = try await asked.wait(for: 1)
        await bench.settle()
        request.resume()
        #expect(kind(await task.response.error) == .responseValidationFailed(.unacceptableStatusCode(503)))
    }
}
