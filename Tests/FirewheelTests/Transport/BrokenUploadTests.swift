#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Testing

    /// A kept connection that breaks while a request body is sent on it.
    @Suite("Connections that break during an upload", .eachTransport, .timeLimit(.minutes(5)))
    struct BrokenUploadTests {
        private static let rounds = 40
        private static let body = pattern(4_000_000)

        /// Runs rounds of one blocking part on a thread, with the other part beside it.
        private func run(
            serving serve: @escaping @Sendable (HandServer, Int) throws -> Void, client: (Session, String) async throws -> Void
        ) async throws {
            let server = try HandServer()
            // Its server sends no 100 (Continue), for which each upload would wait.
            let session = Session.onTest(configuration: .with { $0.expectsContinue = .never })
            let failures = Journal<String>()
            async let serving: Void = onThreads(1) { _ in
                for round in 0..<Self.rounds {
                    do { try serve(server, round) } catch { return failures.add("\(round): \(error)") }
                }
            }
            for _ in 0..<Self.rounds where failures.count == 0 {
                #expect(await session.request(server.url).raw().text == "first")
                try await client(session, server.url)
            }
            await serving
            #expect(failures.entries == [])
        }

        /// Answers a first request, and resets its connection at some point of the next.
        private static func reset(_ server: HandServer, _ round: Int) throws {
            let (connection, _) = try server.accept()
            server.answer("first", on: connection)
            try server.read(round * 79_190 % 3_000_000 + 1, from: connection)
            server.reset(connection)
        }

        /// Receives a PUT, which must come complete on the next connection.
        private static func takeSecond(_ server: HandServer) throws {
            let connection = try server.acceptConnection()
            let (head, body) = try server.readRequest(connection, bodySize: Self.body.count)
            guard head.hasPrefix("PUT / HTTP/1.1\r\n"), body == Self.body else { throw WaitedInVain(what: "the whole PUT") }
            server.answer("second", on: connection, closing: true)
        }

        @Test("A PUT is repeated on a new connection when the server resets the kept one (RFC 9110 section 9.2.2)")
        func repeated() async throws {
            try await run(
                serving: { server, round in
                    try Self.reset(server, round)
                    try Self.takeSecond(server)
                },
                client: { session, url in
                    let response = try await session.sending(Self.body, to: url, method: .put).raw()
                    #expect(response.text == "second", "\(String(describing: response.error))")
                    #expect(response.metrics?.transactionMetrics.first?.isReusedConnection == false)
                })
        }

        @Test("A PUT whose connection breaks while it is suspended is repeated after resume()")
        func suspended() async throws {
            let isSuspended = DispatchSemaphore(value: 0)
            let (hasBegun, isReset) = (Journal<Void>(), Journal<Void>())
            let other = try MockServer()
            defer { other.shutdown() }
            other.route("*") { _ in .text("other") }
            try await run(
                serving: { server, _ in
                    let (connection, _) = try server.accept()
                    server.answer("first", on: connection)
                    try server.read(1, from: connection)
                    hasBegun.add(())
                    _ = isSuspended.wait(timeout: .now() + 20)
                    server.reset(connection)
                    isReset.add(())
                    try Self.takeSecond(server)
                },
                client: { session, url in
                    let begun = hasBegun.count
                    let request = try session.sending(Self.body, to: url, method: .put).resume()
                    _ = try await hasBegun.wait(for: begun + 1)
                    request.suspend()
                    isSuspended.signal()
                    _ = try await isReset.wait(for: begun + 1)
                    // The transport has seen the reset once this request has completed.
                    #expect(await session.request(other.url()).raw().text == "other")
                    request.resume()
                    let response = await request.raw()
                    #expect(response.text == "second", "\(String(describing: response.error))")
                })
        }

        @Test("A POST whose connection breaks is not repeated, and does not disturb the next request")
        func notRepeated() async throws {
            try await run(
                serving: { server, round in
                    try Self.reset(server, round)
                    // A transport may open a connection before it learns that it may not retry, and close it.
                    while true {
                        let connection = try server.acceptConnection()
                        guard let (head, _) = try? server.readRequest(connection, bodySize: 0) else { continue }
                        guard head.hasPrefix("GET ") else { throw WaitedInVain(what: "the next request") }
                        return server.answer("second", on: connection, closing: true)
                    }
                },
                client: { session, url in
                    let response = try await session.sending(Self.body, to: url).raw()
                    #expect(response.kind == .transportFailed(.networkConnectionLost))
                    #expect(await session.request(url).raw().text == "second")
                })
        }
    }
#endif
