#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Testing

    /// High load, and what is left afterwards. Tests that count threads or descriptors have a process of their own.
    @Suite("Load", .eachTransport, .serialized, .timeLimit(.minutes(5)))
    struct LoadTests {
        @Test("1,000 concurrent requests to a server by name all succeed with a handful of threads")
        func thousand() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 120)
                let server = try MockServer(recordsRequests: false)
                defer { server.shutdown() }
                server.route("*") { .text($0.path) }
                let session = Session.onTest()
                let before = ProcessFacts.clientThreadCount
                var most = before
                let url = "http://localhost:\(server.port)"
                var wrong = 0
                await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<1000 { group.addTask { await session.request("\(url)/\(number)").raw().text == "/\(number)" } }
                    for await isRight in group {
                        if !isRight { wrong += 1 }
                        most = max(most, ProcessFacts.clientThreadCount)
                    }
                }
                #expect(wrong == 0, "\(wrong) wrong answers")
                #expect(most <= before + 20, "\(before) threads before, \(most) at most")
                #expect(server.requestCount == 1000)
                #expect(server.connectionCount <= 64, "\(server.connectionCount) connections")
                withExtendedLifetime(session) {}
            }
        }

        @Test("5,000 queued requests of one session each get their own response")
        func fiveThousand() async throws {
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            server.route("*") { .text($0.path) }
            let session = Session.onTest(configuration: .with { $0.maximumConnectionsPerHost = 8 })
            let queue = DispatchQueue(label: "test.handlers")
            let right = Gauge()
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let all = DispatchGroup()
                for number in 0..<5000 {
                    all.enter()
                    session.request(server.url("/\(number)")).response(queue: queue) { response in
                        if response.text == "/\(number)" { right.enter() }
                        all.leave()
                    }
                }
                all.notify(queue: queue) { continuation.resume() }
            }
            #expect(right.most == 5000, "\(right.most) right answers")
            #expect(server.requestCount == 5000)
            #expect(server.connectionCount == 8, "\(server.connectionCount) connections")
            withExtendedLifetime(session) {}
        }

        @Test("500 sessions that were used and released leave no descriptor and no thread")
        func sessions() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 120)
                let server = try MockServer(recordsRequests: false)
                defer { server.shutdown() }
                server.route("*") { .text($0.path) }
                // The loop is shared by all sessions and stays.
                #expect(await once { $0.request(server.url("/warm")) }.response.text == "/warm")
                #expect(await eventually { server.openConnectionCount == 0 }, "\(server.openConnectionCount) connections")
                let descriptors = ProcessFacts.descriptorCount
                let threads = ProcessFacts.clientThreadCount
                var wrong = 0
                for number in 0..<500 {
                    let (response, _) = await once { $0.request(server.url("/\(number)")) }
                    if response.text != "/\(number)" { wrong += 1 }
                }
                #expect(wrong == 0, "\(wrong) wrong answers")
                #expect(await eventually { server.openConnectionCount == 0 }, "\(server.openConnectionCount) connections")
                // Dispatch may open a few of its own; a leak would be many.
                #expect(
                    await eventually { ProcessFacts.descriptorCount <= descriptors + 5 },
                    "\(descriptors) before, \(ProcessFacts.descriptorCount) after")
                #expect(await eventually { ProcessFacts.clientThreadCount <= threads + 4 }, "\(ProcessFacts.threadNames)")
                // A new thread has the name of the one that started it until it has its own.
                #expect(await eventually { ProcessFacts.loopThreadCount == 1 }, "\(ProcessFacts.threadNames)")
            }
        }

        @Test("500 sessions released during requests end them, and leave no descriptor and no thread")
        func sessionsInFlight() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 120)
                let server = try MockServer(recordsRequests: false)
                defer { server.shutdown() }
                server.route("*") { _ in .failure(.noAnswer) }
                server.route("/warm") { _ in .text("warm") }
                #expect(await once { $0.request(server.url("/warm")) }.response.text == "warm")
                #expect(await eventually { server.openConnectionCount == 0 }, "\(server.openConnectionCount) connections")
                let descriptors = ProcessFacts.descriptorCount
                for number in 0..<500 {
                    let arrived = server.requestCount
                    let requests = await { () -> [DataRequest] in
                        let session = Session.onTest()
                        let requests = (0..<3).map { _ in session.request(server.url("/x")).resume() }
                        // Some requests have reached the server by then, some the loop, and some only the queue.
                        if number.isMultiple(of: 2) { _ = await server.waitForRequests(arrived + 1, timeout: 5) }
                        session.invalidate()
                        return requests
                    }()
                    for request in requests {
                        let response = await request.raw()
                        #expect(response.kind == .sessionInvalidated, "session \(number): \(response)")
                    }
                }
                #expect(await eventually { server.openConnectionCount == 0 }, "\(server.openConnectionCount) connections")
                // Dispatch may open a few of its own; a leak would be many.
                #expect(
                    await eventually { ProcessFacts.descriptorCount <= descriptors + 5 },
                    "\(descriptors) before, \(ProcessFacts.descriptorCount) after")
            }
        }

        @Test("2,000 requests cancelled at random moments close their connections, and the session stays usable")
        func cancels() async throws {
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            server.route("*") { _ in MockResponse.data(Data(count: 100_000)).throttled(bytes: 20_000, every: 0.002) }
            server.route("/after") { _ in .text("after") }
            let session = Session.onTest()
            var generator = SeededGenerator(state: 7)
            var outcomes: [FirewheelError.Kind?] = []
            for _ in 0..<40 {
                let requests = (0..<50).map { _ in session.request(server.url("/x")).resume() }
                for request in requests {
                    if Bool.random(using: &generator) { usleep(UInt32.random(in: 0...500, using: &generator)) }
                    request.cancel()
                }
                for request in requests { outcomes.append(await request.raw().kind) }
            }
            #expect(outcomes.count == 2000)
            #expect(outcomes.filter { $0 != nil && $0 != .explicitlyCancelled }.isEmpty)
            for _ in 0..<20 { #expect(await session.request(server.url("/after")).raw().text == "after") }
            #expect(await eventually { server.openConnectionCount <= 64 })
            withExtendedLifetime(session) {}
        }
    }
#endif
