import Firewheel
import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Whatever a request waits for, a cancel, a suspend, the timeout and the session's end take effect. The caller's code in these tests
/// ignores cancellation and returns only when the test lets it.
@Suite("Cancelling, suspending and timing out a request that waits", .timeLimit(.minutes(5)))
struct WaitReachTests {
    enum Wait: CaseIterable, Sendable { case adapter, retrier, delay, redirectHandler, gate }
    enum Reach: CaseIterable, Sendable { case cancel, suspend, deadline, invalidate }

    private let bench = EngineBench()
    private let url = "http://stub.test/"

    /// A request that comes to the wait after ``drive(_:to:)`` has answered it.
    private func request(_ wait: Wait, delay: TimeInterval, _ latch: Latch, entered: Journal<Int>) -> DataRequest {
        @Sendable func hold() async {
            entered.add(1)
            await latch.wait()
        }
        let request = bench.session.request(url).validate()
        switch wait {
        case .adapter: request.adapt { _, _ in await hold() }
        case .retrier:
            request.retry { _, _ in
                await hold()
                return .retry
            }
        case .delay:
            request.retry { _, _ in
                entered.add(1)
                return .retryWithDelay(delay)
            }
        case .redirectHandler:
            request.redirect(
                using: .modify { _, request, _ in
                    await hold()
                    return request
                })
        case .gate:
            request.onHTTPResponse { _ async in
                await hold()
                return .allow
            }
        }
        return request
    }

    private func drive(_ request: Request, to wait: Wait) async throws {
        guard wait != .adapter else { return }
        try await bench.started(request)
        let end: TransportEvent.Kind =
            switch wait {
            case .adapter, .gate: .end(200, body: "there")
            case .retrier, .delay: .end(503)
            case .redirectHandler: .end(302, ["Location": "/next"])
            }
        bench.transport.deliver((bench.id(request), end))
    }

    @Test(
        "Whatever a request waits for, a cancel, a suspend, the timeout and the session's end take effect there", arguments: Wait.allCases,
        Reach.allCases)
    func reaches(wait: Wait, reach: Reach) async throws {
        let (latch, entered) = (Latch(), Journal<Int>())
        defer { latch.open() }
        // The delay ends while the request is suspended, and otherwise never.
        let request = request(wait, delay: reach == .suspend ? 6 : 1000, latch, entered: entered)
        // Not over before the retrier has asked for its delay, which is longer.
        if reach == .deadline { request.timeout(total: wait == .delay ? 100 : 0.2) }
        let call = try #require(request.call as? Call)
        let task = request.serializingString()
        try await drive(request, to: wait)
        // A busy machine may come to the wait only after the timeout, or not at all.
        if reach != .deadline { _ = try await entered.wait(for: 1) }
        switch reach {
        case .cancel:
            request.cancel()
            #expect(kind(await task.response.error) == .explicitlyCancelled)
        case .deadline:
            let error = await task.response.error
            // A retry that would come too late is not awaited.
            #expect(kind(error) == (wait == .delay ? .responseValidationFailed(.unacceptableStatusCode(503)) : .transportFailed(.timedOut)))
        case .invalidate:
            bench.session.invalidate()
            #expect(kind(await task.response.error) == .sessionInvalidated)
        case .suspend:
            try await holds(request, call, wait, latch)
            return try await goesOn(request, wait, task)
        }
        let sent = bench.transport.requests.count
        latch.open()
        await bench.settle()
        #expect(bench.transport.requests.count == sent)
    }

    /// While suspended, the request gets its answer and does not act on it.
    private func holds(_ request: DataRequest, _ call: Call, _ wait: Wait, _ latch: Latch) async throws {
        request.suspend()
        let before = call.inputs
        let sent = bench.transport.requests.count
        latch.open()
        try await waitUntil("the answer") { call.inputs > before }
        await bench.settle()
        #expect(bench.transport.requests.count == sent && request.isSuspended)
        #expect(wait != .gate || request.data == nil)
    }

    /// After resume() the request acts on the answer.
    private func goesOn(_ request: DataRequest, _ wait: Wait, _ task: DataTask<String>) async throws {
        request.resume()
        let next: TransportTaskID? =
            switch wait {
            case .adapter: TransportTaskID(request: request.id, attempt: 0, hop: 0)
            case .retrier, .delay: TransportTaskID(request: request.id, attempt: 1, hop: 0)
            case .redirectHandler: TransportTaskID(request: request.id, attempt: 0, hop: 1)
            case .gate: nil
            }
        if let next {
            try await waitUntil("the start of \(next)") { bench.transport.calls.contains(.start(next)) }
            bench.transport.deliver((next, .end(200, body: "there")))
        }
        #expect(try await task.value == "there")
    }
}
