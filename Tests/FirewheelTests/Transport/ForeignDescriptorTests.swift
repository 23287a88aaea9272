#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Glibc
    import Testing

    /// The number of a closed descriptor may be reused by others, whose sockets must be left alone.
    @Suite("Descriptors of other owners", .eachTransport, .timeLimit(.minutes(5)))
    struct ForeignDescriptorTests {
        @Test("A program's socket that reuses the number of a cancelled connection attempt is left alone")
        func cancelledWhileConnecting() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let (server, hand, deaf) = (try MockServer(), try HandServer(), try BoundSocket(listening: true))
                defer { server.shutdown() }
                // Without a full backlog connecting would not hang, and nothing would be tested.
                try #require(deaf.fillBacklog())
                server.route("/held") { _ in .failure(.noAnswer) }
                server.route("/other") { _ in .text("other") }
                let session = Session.onTest()
                let held = session.request(server.url("/held")).resume()
                #expect(await session.request(server.url("/other")).raw().text == "other")
                // All sockets of both are open, the server's too.
                #expect(await server.waitForRequests(2))

                let client = try RawConnection(port: hand.port)
                let number = try await Self.takeNumber(for: client.descriptor) {
                    session.request("http://127.0.0.1:\(deaf.port)/")
                }
                _ = send(number, "hello", 5, Int32(MSG_NOSIGNAL))
                let journal = Journal<Int32?>()
                await onThreads(1) { _ in journal.add(try? hand.acceptConnection()) }
                let connection = try #require(journal.entries[0])
                await onThreads(1) { _ in hand.write("bytes", to: connection) }

                // The loop polls while a request is under way.
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

        /// Like a forked child that has not called exec.
        @Test("A closed connection that another process still holds takes no processor time, whatever arrives on it")
        func heldElsewhere() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let (server, hand) = (try MockServer(), try HandServer())
                defer { server.shutdown() }
                server.route("*") { _ in .text("x") }
                let before = Self.sockets
                let session = Session.onTest()
                let first = session.request(hand.url).resume()
                let journal = Journal<Int32?>()
                await onThreads(1) { _ in journal.add(try? hand.acceptConnection()) }
                let connection = try #require(journal.entries[0])
                await onThreads(1) { _ in hand.answer("first", on: connection) }
                #expect(await first.raw().text == "first")
                let copies = Self.sockets.subtracting(before).subtracting([connection]).map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
                session.closeIdleConnections()
                try await waitUntil("the end of it here") { Self.sockets.subtracting(before).count == copies.count + 1 }
                hand.write("bytes", to: connection)
                shutdown(connection, Int32(SHUT_RDWR))
                // The loop has been awake since.
                #expect(await session.request(server.url()).raw().text == "x")
                let start = try #require(ProcessFacts.loopTime)
                try await Task.sleep(nanoseconds: 1_000_000_000)
                let time = try #require(ProcessFacts.loopTime) - start
                #expect(time < 0.3, "\(time) seconds of a processor in one of rest")
                for copy in copies { close(copy) }
            }
        }

        /// Copies a descriptor to the number that a request's socket had while it was connecting.
        private static func takeNumber(for descriptor: Int32, _ request: () -> DataRequest) async throws -> Int32 {
            for _ in 0..<20 {
                let before = sockets
                let hanging = request().resume()
                try await waitUntil("the socket") { !sockets.isSubset(of: before) }
                let number = try #require(sockets.subtracting(before).first)
                hanging.cancel()
                try await waitUntil("its end") { !sockets.contains(number) }
                // Dispatch may open descriptors at any time and may have been given the number.
                let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, number)
                if copy == number { return number }
                close(copy)
            }
            throw WaitedInVain(what: "the number of a socket")
        }

        /// The descriptors of IPv4 sockets.
        private static var sockets: Set<Int32> {
            Set((0..<1_000 as Range<Int32>).filter { RawConnection.localPort(of: $0) != nil })
        }
    }
#endif
