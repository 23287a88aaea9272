#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel

    /// The threads that connect to Unix sockets.
    @Suite("Connecting to Unix sockets", .timeLimit(.minutes(2)))
    struct UnixConnectorTests {
        /// A descriptor that tells when it is closed.
        private struct Probe {
            let given: Int32
            private let other: Int32

            init() {
                var ends: [Int32] = [-1, -1]
                pipe(&ends)
                (given, other) = (ends[1], ends[0])
            }

            var isClosed: Bool {
                var polled = pollfd(fd: other, events: 0, revents: 0)
                poll(&polled, 1, 0)
                return polled.revents & Int16(POLLHUP) != 0
            }

            func end() { close(other) }
        }

        @Test("A path that does not answer holds up only those who wait for it, and a connection that nobody wants any more is closed")
        func hanging() async throws {
            let (stuck, quick) = (try UnixSocket("/stuck"), try UnixSocket("/quick"))
            let (gate, probe, isDialing) = (DispatchSemaphore(value: 0), Probe(), Journal<Void>())
            let connector = UnixConnector { socket in
                guard socket == stuck else { return .failure(TransportFailure("quick")) }
                isDialing.add(())
                gate.wait()
                return .success(probe.given)
            }
            let answers = Journal<(UInt64, String)>()
            let completion: UnixConnector.Completion = { ticket, answer in
                if case .failure(let failure) = answer {
                    answers.add((ticket, failure.description))
                } else {
                    answers.add((ticket, "stuck"))
                }
            }
            let first = connector.connect(to: stuck, completion: completion)
            try await waitUntil("the first attempt") { isDialing.count == 1 }
            let second = connector.connect(to: quick, completion: completion)
            #expect(try await answers.wait(for: 1)[0] == (second, "quick"))
            connector.abandon(first, of: stuck)
            gate.signal()
            try await waitUntil("the end of the connection") { probe.isClosed }
            #expect(answers.count == 1)
            probe.end()
        }

        @Test("Those who wait are served in order, and one whose place comes in vain gives the connection to the next")
        func order() async throws {
            let socket = try UnixSocket("/x")
            let (gate, isDialing, answers) = (DispatchSemaphore(value: 0), Journal<Void>(), Journal<UInt64>())
            let connector = UnixConnector { _ in
                isDialing.add(())
                gate.wait()
                // Every other time the listener has no room.
                return isDialing.count % 2 == 0 ? nil : .failure(TransportFailure("x"))
            }
            var tickets = (0..<6).map { _ in connector.connect(to: socket) { ticket, _ in answers.add(ticket) } }
            try await waitUntil("the first attempt") { isDialing.count == 1 }
            // The attempt that is under way becomes the next one's.
            for index in [3, 0] { connector.abandon(tickets.remove(at: index), of: socket) }
            for _ in 0..<8 { gate.signal() }
            #expect(try await answers.wait(for: 4) == tickets)
        }

        @Test("Ten thousand that are abandoned cost no attempt each")
        func abandoned() async throws {
            let socket = try UnixSocket("/x")
            let (gate, isDialing, answers) = (DispatchSemaphore(value: 0), Journal<Void>(), Journal<UInt64>())
            let connector = UnixConnector { _ in
                isDialing.add(())
                gate.wait()
                return .failure(TransportFailure("x"))
            }
            let tickets = (0..<10_000).map { _ in connector.connect(to: socket) { ticket, _ in answers.add(ticket) } }
            for ticket in tickets.dropLast() { connector.abandon(ticket, of: socket) }
            for _ in 0..<2 { gate.signal() }
            #expect(try await answers.wait(for: 1) == [tickets[9_999]])
            #expect(isDialing.count <= 2)
        }
    }
#endif
