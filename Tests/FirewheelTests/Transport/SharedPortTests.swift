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
                ProcessFacts.giveUp(after: 60)
                let busy = try RawServer([["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "half"]], ending: .stay)
                let idle = try RawServer([["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", Self.evil]], ending: .stay)
                let port = try BoundSocket(listening: false).port
                scarce_descriptors_share_port(Int32(port))
                let session = Session.onTest()
                let response = Journal<Bool>()
                session.request(busy.url).response(queue: .global()) { response.add(kind($0.error) == .explicitlyCancelled) }
                _ = try await busy.sent.wait(for: 2)
                #expect(await session.request(idle.url).raw().text == "hello")
                #expect(ProcessFacts.ports.count { $0 == port } == 2)
                try await waitUntil("the end of the connection", seconds: 20) { idle.ended.count == 1 }
                #expect(busy.ended.count == 0)
                // LeakSanitizer does not see the pointers to a transfer's memory (Tests/Sanitizers/leak.txt).
                session.cancelAllRequests()
                #expect(try await response.wait(for: 1) == [true])
            }
        }

        @Test("ConnectionEnds gives the local and remote address and port of a connection", arguments: [false, true])
        func ends(ipv6: Bool) throws {
            let listener = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            defer { close(listener) }
            #expect(listen(listener, 1) == 0)
            let port = try #require(ConnectionEnds(of: listener)).local.port
            let connection = try RawConnection(port: Int(port), ipv6: ipv6)
            let accepted = accept(listener, nil, nil)
            defer { close(accepted) }
            let (mine, theirs) = (try #require(ConnectionEnds(of: connection.descriptor)), try #require(ConnectionEnds(of: accepted)))
            #expect(mine.remote == ConnectionEnds.End(address: ipv6 ? "::1" : "127.0.0.1", port: port))
            #expect(mine.remote == theirs.local && mine.local == theirs.remote && mine.local != mine.remote)
        }

        @Test("ConnectionEnds is nil for anything but a TCP socket, and has no remote end after a shutdown")
        func noEnds() async throws {
            #expect(ConnectionEnds(of: -1) == nil)
            var pair: [Int32] = [-1, -1]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
            defer { for descriptor in pair { close(descriptor) } }
            #expect(ConnectionEnds(of: pair[0]) == nil)
            let server = try RawServer([["x"]], ending: .stay)
            let connection = try RawConnection(port: server.port)
            #expect(ConnectionEnds(of: connection.descriptor)?.remote?.port == Int32(server.port))
            let descriptor = connection.descriptor
            shutdown(descriptor, Int32(SHUT_RDWR))
            try await waitUntil("the end") { ConnectionEnds(of: descriptor)?.remote == nil }
            #expect(ConnectionEnds(of: descriptor)?.local.address == "127.0.0.1")
            withExtendedLifetime((connection, server)) {}
        }
    }
#endif
