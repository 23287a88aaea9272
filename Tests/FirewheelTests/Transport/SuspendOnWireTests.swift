import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// A request suspended in the middle of its body continues on its connection: it is not sent again, and no byte comes twice.
@Suite("Suspending in the middle of a body", .eachTransport, .timeLimit(.minutes(5)))
struct SuspendOnWireTests {
    @Test(
        "20 MB in memory arrive exactly with one request while it is suspended and resumed",
        arguments: [MockResponse.Framing.contentLength, .chunked(size: 30_000)])
    func exact(framing: MockResponse.Framing) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let body = pattern(20_000_000)
        let hasBegun = DispatchSemaphore(value: 0)
        server.route("*") { _ in
            // The body must not be over before the first suspension.
            _ = hasBegun.wait(timeout: .now() + 30)
            return .data(body).framed(framing).throttled(bytes: 500_000, every: 0.005)
        }
        let session = Session.onTest()
        let request = session.request(server.url())
        let task = request.serializingData()
        let suspensions = Journal<Int>()
        await onThreads(1) { _ in
            while !request.isFinished {
                if request.suspend().isSuspended { suspensions.add(1) }
                request.resume()
                if suspensions.count == 1 { hasBegun.signal() }
                usleep(2000)
            }
        }
        let received = try await task.value
        // Compared outside of #expect, which would print the difference.
        let isSame = received == body
        #expect(isSame)
        #expect(suspensions.count > 0)
        #expect(server.requestCount == 1)
        #expect(server.connectionCount == 1)
        withExtendedLifetime(session) {}
    }

    @Test("A head that arrives around a suspension is read field by field, also after interim responses", arguments: [false, true])
    func heads(hasInterims: Bool) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let fields = (0..<20).map { ("X-\($0)", "value \($0)") }
        server.route("*") { _ in
            let response = fields.reduce(MockResponse.text("body").delayed(head: 0.02)) { $0.header($1.0, $1.1) }
            return hasInterims ? response.informational(103, headers: [("Link", "</a>")]).informational(102) : response
        }
        let session = Session.onTest()
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
            #expect(response.headers["Link"] == nil)
        }
        withExtendedLifetime(session) {}
    }

    @Test("A response without a body that arrives during a suspension is delivered after resume()", arguments: [204, 500])
    func empty(status: Int) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let gate = DispatchSemaphore(value: 0)
        server.route("*") { _ in
            _ = gate.wait(timeout: .now() + 20)
            return .status(status)
        }
        server.route("/next") { _ in MockResponse.text("next").delayed(head: 0.02) }
        let session = Session.onTest()
        let request = session.request(server.url())
        let told = Journal<Int?>()
        request.response(queue: .global()) { told.add($0.statusCode) }
        #expect(await server.waitForRequests(1, timeout: 20))
        request.suspend()
        // A later request that has completed shows that the transport has processed the earlier event.
        #expect(await session.request(server.url("/next")).raw().text == "next")
        gate.signal()
        for _ in 0..<3 { #expect(await session.request(server.url("/next")).raw().text == "next") }
        #expect(told.count == 0)
        #expect(request.response == nil)
        request.resume()
        #expect(try await told.wait(for: 1) == [status])
        withExtendedLifetime(session) {}
    }
}
