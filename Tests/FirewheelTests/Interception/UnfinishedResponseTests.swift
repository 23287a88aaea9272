import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// The response of a request that ended early.
@Suite("Responses of requests that ended early", .timeLimit(.minutes(5)))
struct UnfinishedResponseTests {
    private let url = "http://stub.test/"
    private static let location: HTTPHeaders = ["Location": "/next"]

    @Test("A request whose body fails after the response head has that head as its response", arguments: [false, true])
    func failedLater(isDownload: Bool) async throws {
        let bench = EngineBench()
        let (request, end): (Request, @Sendable () async -> (HTTPURLResponse?, (any Error)?))
        if isDownload {
            let download = bench.session.download(url)
            let task = download.serializingDownloadedFileURL()
            (request, end) = (download, { (await task.response.response, await task.response.error) })
        } else {
            let data = bench.session.request(url)
            let task = data.serializingData()
            (request, end) = (data, { (await task.response.response, await task.response.error) })
        }
        try await bench.started(request)
        let id = bench.id(request)
        bench.transport.deliver((id, .head(200, ["X-A": "1"])), (id, .failure(.failed(.networkConnectionLost, "gone"))))
        let (response, error) = await end()
        #expect(kind(error) == .transportFailed(.networkConnectionLost))
        #expect(response?.statusCode == 200 && response?.headers["X-A"] == "1")
        #expect((error as? FirewheelError)?.response?.statusCode == 200 && request.response?.statusCode == 200)
    }

    /// Where the redirect is when its request is cancelled.
    enum Place: CaseIterable, Sendable { case asked, followed }

    @Test("A request cancelled at a redirect has no response, and the redirect is in its metrics", arguments: Place.allCases)
    func redirect(place: Place) async throws {
        let bench = EngineBench()
        let (asked, gate) = (Journal<Int>(), Latch())
        let request = bench.session.request(url)
        if place == .asked {
            request.redirect(
                using: .modify { _, request, _ in
                    asked.add(1)
                    await gate.wait()
                    return request
                })
        }
        let task = request.serializingData()
        try await bench.started(request)
        let id = bench.id(request)
        bench.transport.deliver((id, .head(302, Self.location)))
        if place == .asked {
            _ = try await asked.wait(for: 1)
        } else {
            try await waitUntil("the decision") { bench.transport.calls.contains(.proceed(id, .discard)) }
        }
        #expect(request.response == nil)
        request.cancel()
        let response = await task.response
        #expect(kind(response.error) == .explicitlyCancelled && response.response == nil && response.statusCode == nil)
        #expect(request.response == nil && (response.error as? FirewheelError)?.response == nil)
        #expect(response.metrics?.transactionMetrics.map { $0.response?.statusCode } == [302])
        gate.open()
    }

    @Test("A redirect whose transfer fails while its handler runs is not the response, but a retrier's context has it")
    func brokenRedirect() async throws {
        let bench = EngineBench()
        let (asked, gate, contexts) = (Journal<Int>(), Latch(), Journal<Int?>())
        let request = bench.session.request(url)
            .redirect(
                using: .modify { _, request, _ in
                    asked.add(1)
                    await gate.wait()
                    return request
                }
            )
            .retry { context, _ in
                contexts.add(context.response?.statusCode)
                return .doNotRetry
            }
        let task = request.serializingData()
        try await bench.started(request)
        let id = bench.id(request)
        bench.transport.deliver((id, .head(302, Self.location)))
        _ = try await asked.wait(for: 1)
        bench.transport.deliver((id, .failure(.failed(.networkConnectionLost, "gone"))))
        // An answer that came before the failure is handled would be followed.
        await bench.settle()
        gate.open()
        let response = await task.response
        #expect(kind(response.error) == .transportFailed(.networkConnectionLost) && response.response == nil)
        #expect(contexts.entries == [302] && bench.transport.requests.count == 1)
    }

    @Test("A redirect whose exchange breaks after its handler has answered is followed: nobody wants its body")
    func brokenAfterAnswer() async throws {
        let bench = EngineBench()
        let request = bench.session.request(url).redirect(using: .modify { _, request, _ async in request })
        let task = request.serializingString()
        try await bench.started(request)
        let id = bench.id(request)
        bench.transport.deliver((id, .head(302, Self.location)))
        try await waitUntil("the answer") { bench.transport.calls.contains(.proceed(id, .discard)) }
        bench.transport.deliver((id, .failure(.failed(.networkConnectionLost, "gone"))))
        try await bench.started(request, 1)
        bench.transport.deliver((bench.id(request, 1), .end(200, body: "fine")))
        let response = await task.response
        #expect(response.value == "fine" && response.error == nil && response.statusCode == 200)
    }

    @Test("A final response stays the response if the request is cancelled at a gate or in the body, or fails as a redirect")
    func final() async throws {
        let bench = EngineBench()
        let (asked, gate) = (Journal<Int>(), Latch())
        let gated = bench.session.request(url).onHTTPResponse { _ async in
            asked.add(1)
            await gate.wait()
            return .allow
        }
        let reading = bench.session.request(url)
        let failing = bench.session.request(url)
        let tasks = [gated, reading, failing].map { $0.serializingData() }
        for request in [gated, reading, failing] { try await bench.started(request) }
        bench.transport.deliver((bench.id(gated), .head(200)), (bench.id(reading), .head(201)))
        bench.transport.deliver((bench.id(failing), .head(302, ["Location": "ftp://a.test/"])))
        _ = try await asked.wait(for: 1)
        try await waitUntil("the decision") { bench.transport.calls.contains(.proceed(bench.id(failing), .discard)) }
        for request in [gated, reading, failing] { request.cancel() }
        var codes: [Int?] = []
        for task in tasks { codes.append(await task.response.statusCode) }
        #expect(codes == [200, 201, 302])
        gate.open()
    }
}
