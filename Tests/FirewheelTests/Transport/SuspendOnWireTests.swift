import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// A request that is suspended in the middle of its body goes on where it was: it is not sent again, and no byte comes twice.
@Suite("Suspending in the middle of a body", .timeLimit(.minutes(2)))
struct SuspendOnWireTests {
    @Test(
        "20 MB in memory arrive exactly, over one request, suspended and resumed all the way",
        arguments: [MockResponse.Framing.contentLength, .chunked(size: 30_000)])
    func exact(framing: MockResponse.Framing) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let body = Data((0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ $0 >> 16) })
        server.route("*") { _ in .data(body).framed(framing).throttled(bytes: 500_000, every: 0.005) }
        let session = Session()
        let request = session.request(server.url())
        let task = request.serializingData()
        let suspensions = Journal<Int>()
        await onThreads(1) { _ in
            while !request.isFinished {
                if request.suspend().isSuspended { suspensions.add(1) }
                request.resume()
                usleep(2000)
            }
        }
        let received = try await task.value
        // Not in #expect, which would print what differs.
        let isSame = received == body
        #expect(isSame)
        #expect(suspensions.count > 0)
        #expect(server.requestCount == 1)
        #expect(server.connectionCount == 1)
        withExtendedLifetime(session) {}
    }
}
