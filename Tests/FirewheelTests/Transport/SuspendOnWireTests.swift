import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// A request that is suspended in the middle of its body goes on where it was: it is not sent again, and no byte comes twice.
@Suite("Suspending in the middle of a body", .timeLimit(.minutes(5)))
struct SuspendOnWireTests {
    @Test(
        "20 MB in memory arrive exactly, over one request, suspended and resumed all the way",
        arguments: [MockResponse.Framing.contentLength, .chunked(size: 30_000)])
    func exact(framing: MockResponse.Framing) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let body = pattern(20_000_000)
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

    /// libcurl joins the lines of a head that arrive while it is paused.
    @Test("A head that arrives around a suspension is read field by field")
    func heads() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let fields = (0..<20).map { ("X-\($0)", "value \($0)") }
        server.route("*") { _ in fields.reduce(.text("body").delayed(head: 0.02)) { $0.header($1.0, $1.1) } }
        let session = Session()
        let requests = (0..<200).map { _ in session.request(server.url()).suspend() }
        async let responses = withTaskGroup(of: DataResponse<Data?>.self) { group in
            for request in requests { group.addTask { await request.raw() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        await onThreads(1) { _ in
            while !requests.allSatisfy(\.isFinished) {
                for request in requests { request.resume() }
                usleep(300)
                for request in requests { request.suspend() }
                usleep(300)
            }
        }
        for response in await responses {
            #expect(response.statusCode == 200)
            #expect(response.text == "body")
            #expect(fields.allSatisfy { response.headers[$0.0] == $0.1 }, "\(response.headers)")
        }
        withExtendedLifetime(session) {}
    }
}
