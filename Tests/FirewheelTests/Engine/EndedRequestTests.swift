import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// After `cancel()` has returned, closures of the caller that build or validate the request are not called.
@Suite("Closures of the caller after a cancel", .timeLimit(.minutes(5)))
struct EndedRequestTests {
    private let session = Session(
        transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] },
        startRequestsImmediately: false)

    /// Records that it was asked to encode.
    private struct Encoder: ParameterEncoding {
        let calls: Journal<String>

        func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
            calls.add("encoding")
            return try urlRequest.asURLRequest()
        }
    }

    private func end(_ request: DataRequest) async -> FirewheelError.Kind? {
        let task = request.serializingData()
        request.resume()
        return kind(await task.response.error)
    }

    @Test("After a request modifier cancels the request, its parameters are not encoded")
    func modifier() async throws {
        let (calls, requests) = (Journal<String>(), Journal<Request>())
        let request = session.request("http://stub.test/", parameters: ["a": "b"], encoding: Encoder(calls: calls)) { _ in
            calls.add("modifier")
            for request in requests.entries { request.cancel() }
        }
        requests.add(request)
        #expect(await end(request) == .explicitlyCancelled)
        try await waitUntil("the modifier") { calls.count > 0 }
        await drainWorkers()
        #expect(calls.entries == ["modifier"])
    }

    @Test("After a validator cancels the request, the next validator is not called")
    func validators() async throws {
        let (calls, requests) = (Journal<String>(), Journal<Request>())
        let request = session.request("http://stub.test/")
            .validate { _, _, _ in
                calls.add("first")
                for request in requests.entries { request.cancel() }
            }
            .validate { _, _, _ in calls.add("second") }
        requests.add(request)
        #expect(await end(request) == .explicitlyCancelled)
        await drainWorkers()
        #expect(calls.entries == ["first"])
    }

    @Test("A request that ended while it waited for a thread is not built")
    func building() async throws {
        let calls = Journal<String>()
        let request = session.request("http://stub.test/") { _ in calls.add("modifier") }
        let call = try #require(request.call as? Call)
        // An outdated step, like that of a request that has ended.
        call.perform(.build(1000, .decodable, isAdapted: false))
        await drainWorkers()
        #expect(calls.count == 0)
    }

    /// Returns after all earlier work of the pool, except blocked work.
    private func drainWorkers() async {
        for _ in 0..<100 {
            await withCheckedContinuation { continuation in WorkerPool.shared.run { continuation.resume() } }
        }
    }
}
