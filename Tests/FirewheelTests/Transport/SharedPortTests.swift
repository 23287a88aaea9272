#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Glibc
    import ScarceDescriptors
    import Testing

    @testable import Firewheel

    /// A local port may serve connections to different servers, so an idle one is identified by both ends.
    @Suite("Connections that share a local port", .timeLimit(.minutes(5)))
    struct SharedPortTests {
        private static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

        @Test(
            "Unrequested bytes end an idle connection while another with the same local port is in use",
            .eachTransport)
        func idleBesideBusy() async throws {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let busy = try RawServer([["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "half"]], ending: .stay)
                let hasLooked = DispatchSemaphore(value: 0)
                let idle = try RawServer(
                    [["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", Self.evil]], ending: .stay, waitingFor: hasLooked)
                let port = try BoundSocket(listening: false).port
                scarce_descriptors_share_port(Int32(port))
                let session = Session.onTest()
                let response = Journal<Bool>()
                session.request(busy.url).response(queue: .global()) { response.add(kind($0.error) == .explicitlyCancelled) }
                _ = try await busy.sent.wait(for: 2)
                #expect(await session.request(idle.url).raw().text == "hello")
                #expect(ProcessFacts.ports.count { $0 == port } == 2)
                hasLooked.signal()
                try await waitUntil("the end of the connection", seconds: 20) { idle.ended.count == 1 }
                #expect(busy.ended.count == 0)
                // LeakSanitizer does not see the pointers to a transfer's memory (Tests/Sanitizers/leak.txt).
                session.cancelAllRequests()
                #expect(try await response.wait(for: 1) == [true])
            }
        }
    }
#endif
