import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// What a cancelled or failed request no longer asks for, and must release.
@Suite("Steps of cancelled and failed attempts", .timeLimit(.minutes(5)))
struct AbandonedStepsTests {
    private struct Odd: Error {}

    private static let unavailable: [StubTransport.Step] = [.response(ResponseHead(statusCode: 503)), .finish(body: Data("busy".utf8))]
    private static let fine: [StubTransport.Step] = [.response(ResponseHead(statusCode: 200)), .finish(body: Data("fine".utf8))]

    private enum Part: CaseIterable, Sendable { case adapters, retriers, gates }

    @Test("After a cancel has returned, no further adapter, retrier or gate is asked", arguments: Part.allCases)
    private func cancelBetween(part: Part) async throws {
        let asked = Journal<Int>()
        let requests = Journal<Request>()
        let session = Session(
            transport: StubTransport { _ in part == .gates ? Self.fine : Self.unavailable }, startRequestsImmediately: false)
        let request = session.request("http://stub.test/").validate()
        /// The first one asked cancels the request.
        @Sendable func ask(_ number: Int) {
            asked.add(number)
            if number == 1 { requests.entries.first?.cancel() }
        }
        for number in 1...2 {
            switch part {
            case .adapters: request.adapt { _, _ in ask(number) }
            case .retriers:
                request.retry { _, _ in
                    ask(number)
                    return .doNotRetry
                }
            case .gates:
                request.onHTTPResponse { _ async in
                    ask(number)
                    return .allow
                }
            }
        }
        requests.add(request)
        let task = request.serializingString()
        request.resume()
        #expect(kind(await task.response.error) == .explicitlyCancelled)
        #expect(asked.entries == [1])
    }

    @Test(
        "A retry that fails before anything is sent releases the earlier attempt's file and the transport",
        arguments: [1, 2])
    func failingRetry(retries: Int) async throws {
        let places = Journal<URL>()
        weak var transport: StubTransport?
        var session: Session?
        do {
            let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 503)), .chunk(Data("busy".utf8)), .finish()] }
            transport = stub
            session = Session(transport: stub)
        }
        let request = try #require(session).download("http://stub.test/")
            .validate { _, _, file in
                if let file { places.add(file) }
                return .failure(Odd())
            }
            .adapt { _, context in if context.retryCount == 1 { throw Odd() } }
            .retry { context, _ in context.retryCount < retries ? .retry : .doNotRetry }
        let response = await request.serializingDownloadedFileURL().response
        let expected: FirewheelError.Kind = retries == 1 ? .requestAdaptationFailed : .responseValidationFailed(.customValidationFailed)
        #expect(kind(response.error) == expected && request.retryCount == retries)
        let files = places.entries
        #expect(files.count == retries)
        session = nil
        try await waitUntil("the files' end") { files.allSatisfy { !FileManager.default.fileExists(atPath: $0.path) } }
        let deadline = DispatchTime.now() + 60
        while transport != nil, DispatchTime.now() < deadline { try await Task.sleep(nanoseconds: 1_000_000) }
        #expect(transport == nil, "the request, which is still there, keeps it")
        withExtendedLifetime(request) {}
    }
}
