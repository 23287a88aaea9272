import Firewheel
import FirewheelTesting
import Foundation
import Testing

#if os(Linux)
    /// Connections are closed by age or on request, without a further request.
    @Suite("Connection age", .eachTransport, .timeLimit(.minutes(5)))
    struct ConnectionAgeTests {
        @Test("By default connections may be idle for 60 seconds and have no maximum lifetime")
        func defaults() {
            #expect(SessionConfiguration().idleConnectionTimeout == 60)
            #expect(SessionConfiguration().maximumConnectionLifetime == nil)
        }

        @Test("Idle connections are closed when their time is over, without a further request")
        func idle() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in MockResponse.text("x").delayed(head: 0.05) }
            let session = Session.onTest(configuration: .with { $0.idleConnectionTimeout = 0.5 })
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { #expect(await session.request(server.url()).raw().text == "x") } }
            }
            #expect(await server.waitForOpenConnections(0, timeout: 20))
            // The session continues on a new connection.
            let connections = server.connectionCount
            #expect(await session.post(server.url()).raw().text == "x")
            #expect(server.connectionCount == connections + 1)
        }

        @Test("Idle connections are closed while another connection is in use, which is left open", arguments: [true, false])
        func idleBesideBusy(byAge: Bool) async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            let gate = DispatchSemaphore(value: 0)
            let entered = Journal<Int>()
            server.route("/slow") { _ in
                entered.add(1)
                _ = gate.wait(timeout: .now() + 60)
                return .text("slow")
            }
            server.route("/fast") { _ in
                entered.add(0)
                _ = gate.wait(timeout: .now() + 0.2)
                return .text("fast")
            }
            let session = Session.onTest(configuration: .with { $0.idleConnectionTimeout = byAge ? 1 : 600 })
            let slow = session.post(server.url("/slow")).serializingString()
            _ = try await entered.wait(for: 1)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<5 { group.addTask { #expect(await session.request(server.url("/fast")).raw().text == "fast") } }
            }
            if !byAge { session.closeIdleConnections() }
            #expect(await server.waitForOpenConnections(1, timeout: 20), "\(server.openConnectionCount) are open")
            gate.signal()
            #expect(try await slow.value == "slow")
            // Its connection is reused unless its own time is over on a busy machine.
            let connections = server.connectionCount
            #expect(await session.post(server.url("/other")).raw().statusCode == 404)
            #expect(byAge || server.connectionCount == connections)
        }

        @Test("A download suspended for longer than the idle connection timeout continues on its connection")
        func suspended() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            let body = pattern(30_000_000)
            let goesOn = DispatchSemaphore(value: 0)
            defer { goesOn.signal() }
            server.exchange("/*") { exchange in
                try exchange.sendHead()
                try exchange.sendChunk(body.prefix(200_000))
                _ = goesOn.wait(timeout: .now() + 60)
                try exchange.sendChunk(body.dropFirst(200_000))
                try exchange.endChunks()
            }
            let session = Session.onTest(
                configuration: .with {
                    $0.idleConnectionTimeout = 1
                    $0.maximumConnectionLifetime = 1
                })
            let done = Journal<DownloadResponse<URL>>()
            let request = session.download(server.url()).responseURL(queue: .global()) { done.add($0) }
            try await waitUntil("the response") { request.response != nil }
            request.suspend()
            goesOn.signal()
            // Also if idle connections are closed explicitly.
            session.closeIdleConnections()
            // Twice the idle timeout.
            try await Task.sleep(nanoseconds: 4_200_000_000)
            session.closeIdleConnections()
            #expect(done.count == 0 && server.openConnectionCount == 1)
            request.resume()
            let file = try #require(try await done.wait(for: 1)[0].value)
            let isSame = try Data(contentsOf: file) == body
            #expect(isSame)
            try FileManager.default.removeItem(at: file)
            _ = try await server.takeRequest()
            #expect(server.requestCount == 1)
        }

        @Test("A connection past its maximum lifetime is not used again, and is closed")
        func lifetime() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in MockResponse.text("x").delayed(head: 0.1) }
            let session = Session.onTest(
                configuration: .with {
                    $0.idleConnectionTimeout = 0
                    $0.maximumConnectionLifetime = 1
                })
            let start = DispatchTime.now()
            var count = 0
            while server.connectionCount < 3, DispatchTime.now() < start + 60 {
                #expect(await session.post(server.url()).raw().text == "x")
                count += 1
            }
            // Never idle for long, and reused for its whole lifetime.
            #expect(server.connectionCount == 3)
            #expect(DispatchTime.now() > start + 2)
            #expect(server.requestCount == count)
            #expect(await server.waitForOpenConnections(0, timeout: 20))
        }

        @Test("Connection ages that are not positive, NaN or too large mean no limit, and do not trap")
        func unlimited() async throws {
            try await atOnce([0, -1, -.infinity, .nan, .infinity, .greatestFiniteMagnitude, 1e10], unlimited)
        }

        @Sendable private func unlimited(seconds: TimeInterval) async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in MockResponse.text("x").delayed(head: 0.2) }
            let session = Session.onTest(
                configuration: .with {
                    $0.idleConnectionTimeout = seconds
                    $0.maximumConnectionLifetime = seconds
                })
            // Longer than the shortest possible limit.
            for _ in 0..<12 { #expect(await session.request(server.url()).raw().text == "x") }
            #expect(server.connectionCount == 1)
            #expect(server.openConnectionCount == 1)
        }

        @Test("The shortest idle connection timeout closes connections", arguments: [.leastNonzeroMagnitude, 0.001, 1] as [TimeInterval])
        func shortest(seconds: TimeInterval) async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in .text("x") }
            let session = Session.onTest(configuration: .with { $0.idleConnectionTimeout = seconds })
            for _ in 0..<3 { #expect(await session.request(server.url()).raw().text == "x") }
            #expect(await server.waitForOpenConnections(0, timeout: 20))
            #expect(server.connectionCount <= 3)
            withExtendedLifetime(session) {}
        }

        @Test("closeIdleConnections() closes every idle connection, and may be called at any time")
        func close() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in .text("x") }
            let session = Session.onTest()
            session.closeIdleConnections()
            for round in 1...20 {
                #expect(await session.post(server.url()).raw().text == "x")
                session.closeIdleConnections()
                if round.isMultiple(of: 2) { session.closeIdleConnections() }
                #expect(await server.waitForOpenConnections(0))
                #expect(server.connectionCount == round)
            }
        }

        @Test("closeIdleConnections() called all the time fails no request, not even a POST")
        func storm() async throws {
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            server.route("*") { request in .data(request.body) }
            let session = Session.onTest(configuration: .with { $0.maximumConnectionsPerHost = 8 })
            let outcomes = Journal<FirewheelError.Kind?>()
            let body = pattern(50_000)
            await onThreads(3) { number in
                var generator = SeededGenerator(state: UInt64(number))
                for _ in 0..<150 {
                    if number == 2 {
                        session.closeIdleConnections()
                        usleep(UInt32.random(in: 0..<8_000, using: &generator))
                        continue
                    }
                    let all = DispatchGroup()
                    for _ in 0..<4 {
                        all.enter()
                        guard let request = try? session.sending(body, to: server.url()) else { continue }
                        request.response(queue: .global()) { response in
                            outcomes.add(response.content == body ? nil : response.kind ?? .explicitlyCancelled)
                            all.leave()
                        }
                    }
                    all.wait()
                }
            }
            #expect(outcomes.count == 1200)
            let failures = outcomes.entries.compactMap { $0 }
            #expect(failures.isEmpty, "\(failures.count) failed, the first with \(String(describing: failures.first))")
            #expect(server.requestCount == 1200)
            withExtendedLifetime(session) {}
        }

        @Test("Connections closed by age, by the server or on request leave no descriptor")
        func descriptors() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                // A process may inherit sockets of its parent.
                let inherited = ProcessFacts.ports.count
                let server = try MockServer(recordsRequests: false)
                defer { server.shutdown() }
                server.route("*") { _ in MockResponse.text("x").delayed(head: 0.05) }
                server.route("/held") { _ in .failure(.noAnswer) }
                for way in 0..<4 {
                    let session = Session.onTest(configuration: .with { $0.idleConnectionTimeout = way == 0 ? 1 : 600 })
                    let held = session.request(server.url("/held"))
                    if way != 1 { held.resume() }
                    // A session may open some of its own with its first request.
                    #expect(await session.request(server.url()).raw().text == "x")
                    let before = ProcessFacts.ports.count
                    await withTaskGroup(of: Void.self) { group in
                        for _ in 0..<20 { group.addTask { #expect(await session.request(server.url()).raw().text == "x") } }
                    }
                    // Those of way 0 may have been closed by age on a busy machine.
                    #expect(way == 0 || ProcessFacts.ports.count > before)
                    switch way {
                    case 0: break
                    case 1, 2: session.closeIdleConnections()
                    default: server.closeIdleConnections()
                    }
                    // The server runs in this process and has closed its ends. Each remaining connection has two.
                    let left = inherited + (way == 1 ? 1 : 3)
                    #expect(
                        await eventually(within: 20) { ProcessFacts.ports.count == left }, "way \(way): \(ProcessFacts.ports.count) sockets"
                    )
                    held.cancel()
                    #expect(await eventually { server.openConnectionCount == 0 })
                }
            }
        }
    }
#endif
