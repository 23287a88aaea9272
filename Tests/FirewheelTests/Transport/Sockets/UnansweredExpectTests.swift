#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A client does not wait for ever for a 100 (RFC 9110 section 10.1.1).
    @Suite("Expect without an answer on sockets", .timeLimit(.minutes(5)))
    struct UnansweredExpectTests {
        @Test("A body that more than one call sends follows the head all the same")
        func largeBody() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.sendsContinue = false
            server.route("*") { .text("\($0.body.count)") }
            let transport = SocketTransport()
            let recorder = ConformanceRecorder()
            // It waits for a second.
            var request = TransportRequest(
                id: TransportTaskID(request: 1), method: .put, target: try #require(TargetURI(server.url())), idleTimeout: 20)
            request.bodySource = .data(pattern(8_000_000))
            request.expectsContinue = true
            recorder.expect(request)
            transport.start(request, receiver: recorder)
            await onThreads(1) { _ in
                let result = recorder.wait(TransportTaskID(request: 1), seconds: 20) { $0.result }
                #expect(result?.error == nil)
                #expect(result?.body == Data("8000000".utf8))
            }
            withExtendedLifetime(transport) {}
        }
    }
#endif
