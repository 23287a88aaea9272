#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Glibc
    import Testing

    /// libcurl closes a socket that never got as far as a request without telling us: its number may then be anybody's.
    @Suite("Descriptors that belong to others", .timeLimit(.minutes(5)))
    struct ForeignDescriptorTests {
        @Test("A socket of the program's own, with the number of one whose connecting was cancelled, is left alone")
        func cancelledWhileConnecting() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 100)
                let (server, hand, deaf) = (try MockServer(), try HandServer(), try BoundSocket(listening: true))
                defer { server.shutdown() }
                // Else connecting does not hang here, and nothing would be tested.
                try #require(deaf.fillBacklog())
                server.route("/held") { _ in .failure(.noAnswer) }
                server.route("/other") { _ in .text("other") }
                let session = Session()
                let held = session.request(server.url("/held")).resume()
                #expect(await session.request(server.url("/other")).raw().text == "other")
                // All sockets of both are there, the server's too.
                #expect(server.waitForRequests(2))

                let before = (0..<1_000 as Range<Int32>).filter { RawConnection.localPort(of: $0) != nil }
                let hanging = session.request("http://127.0.0.1:\(deaf.port)/").resume()
                let added = { @Sendable in
                    (0..<1_000 as Range<Int32>).first { RawConnection.localPort(of: $0) != nil && !before.contains($0) }
                }
                try await waitUntil("the socket") { added() != nil }
                let number = try #require(added())
                hanging.cancel()
                try await waitUntil("its end") { fcntl(number, F_GETFD) == -1 }

                let client = try RawConnection(port: hand.port)
                #expect(dup2(client.descriptor, number) == number)
                _ = send(number, "hello", 5, Int32(MSG_NOSIGNAL))
                let journal = Journal<Int32?>()
                await onThreads(1) { _ in journal.add(try? hand.acceptConnection()) }
                let connection = try #require(journal.entries[0])
                await onThreads(1) { _ in hand.write("bytes", to: connection) }

                // It looks at them as long as a request is under way.
                for _ in 0..<3 {
                    session.closeIdleConnections()
                    #expect(await session.request(server.url("/other")).raw().text == "other")
                }
                var bytes = [UInt8](repeating: 0, count: 10)
                #expect(recv(number, &bytes, bytes.count, Int32(MSG_DONTWAIT)) == 5)
                #expect(send(number, "hello", 5, Int32(MSG_NOSIGNAL)) == 5)
                close(number)
                held.cancel()
            }
        }
    }
#endif
