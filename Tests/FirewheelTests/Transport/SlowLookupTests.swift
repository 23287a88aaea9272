#if os(Linux)
    import FirewheelTesting
    import Foundation
    import SlowLookup
    import Testing

    @testable import Firewheel

    /// A slow `getaddrinfo` does not block the loop. In processes of their own, because a slow lookup occupies a thread of the process's
    /// resolver.
    @Suite("Slow name lookups", .eachTransport, .timeLimit(.minutes(5)))
    struct SlowLookupTests {
        @Test("While 20 names take 20 seconds each to look up, 200 other requests take their usual time")
        func others() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let server = try MockServer()
                defer { server.shutdown() }
                server.route("*") { _ in .text("x") }
                let session = Session.onTest(configuration: .with { $0.connectTimeout = 0.5 })
                let slow = (0..<20).map { number in Task { await session.request("http://slow-20000ms-\(number).invalid/").timed() } }
                // By name too, queued after the slow ones.
                let patient = Session.onTest()
                let named = Task { await patient.request("http://fake-named.test:\(server.port)/").timed() }
                for task in (0..<200).map({ _ in Task { await session.request(server.url()).timed() } }) {
                    let (response, seconds) = await task.value
                    #expect(response.text == "x", "\(response)")
                    #expect(seconds < 15, "\(seconds) s")
                }
                for task in slow {
                    let (response, seconds) = await task.value
                    #expect(response.kind == .transportFailed(.timedOut), "\(response)")
                    #expect(seconds >= 0.45 && seconds < 15, "\(seconds) s")
                }
                let (response, seconds) = await named.value
                #expect(response.text == "x", "\(response)")
                #expect(seconds < 15, "\(seconds) s")
                // Eight, and one more for each quarter of a second in which all were blocked.
                #expect(ProcessFacts.resolverThreadCount <= 8 + 10)
                withExtendedLifetime((session, patient)) {}
            }
        }

        @Test("A request is cancelled at once while its host name is being looked up")
        func cancel() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let session = Session.onTest()
                let url = "http://slow-6000ms-cancel.invalid/"
                let request = session.request(url).resume()
                #expect(await eventually { slow_lookup_count() == 1 })
                let start = DispatchTime.now().uptimeNanoseconds
                request.cancel()
                #expect(await request.raw().kind == .explicitlyCancelled)
                #expect(DispatchTime.now().uptimeNanoseconds - start < 5_000_000_000)
                // The next request for the name waits for the first lookup and gets its answer.
                let (response, seconds) = await session.request(url).timed()
                #expect(response.kind == .transportFailed(.cannotFindHost))
                #expect(seconds < 11)
                #expect(slow_lookup_count() == 1, "\(slow_lookup_count()) lookups")
                withExtendedLifetime(session) {}
            }
        }

        @Test("A session is released at once while names are being looked up, and its requests end")
        func release() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let server = try MockServer()
                defer { server.shutdown() }
                server.route("*") { _ in .text("x") }
                let requests = { () -> [DataRequest] in
                    let session = Session.onTest()
                    let requests = (0..<20).map { session.request("http://slow-15000ms-\($0).invalid/").resume() }
                    for _ in 0..<5_000 where slow_lookup_count() == 0 { usleep(1_000) }
                    session.invalidate()
                    return requests
                }()
                let start = DispatchTime.now().uptimeNanoseconds
                for request in requests {
                    let response = await request.raw()
                    #expect(response.kind == .sessionInvalidated, "\(response)")
                }
                let (response, _) = await once { $0.request(server.url()) }
                #expect(response.text == "x", "\(response)")
                #expect(DispatchTime.now().uptimeNanoseconds - start < 12_000_000_000)
                // Answers for a released session are ignored.
                #expect(
                    await eventually(within: 40) { slow_lookup_count() > 0 && ProcessFacts.resolverThreadCount == 0 },
                    "\(ProcessFacts.threadNames)")
                #expect(await once { $0.request(server.url()) }.response.text == "x")
            }
        }

        @Test("Abandoned lookups do not delay the next ones")
        func abandoned() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let server = try MockServer()
                defer { server.shutdown() }
                server.route("*") { _ in .text("x") }
                let session = Session.onTest(configuration: .with { $0.connectTimeout = 0.3 })
                let requests = (0..<80).map { session.request("http://slow-1000ms-\($0).invalid/").resume() }
                for request in requests { #expect(await request.raw().kind == .transportFailed(.timedOut)) }
                // The lookups under way end within a second; without abandoning the others the wait would be much longer.
                let patient = Session.onTest()
                let (response, seconds) = await patient.request("http://fake-next.test:\(server.port)/").timed()
                #expect(response.text == "x", "\(response)")
                #expect(seconds < 8, "\(seconds) s")
                #expect(slow_lookup_count() < 60, "\(slow_lookup_count()) lookups")
                withExtendedLifetime((session, patient)) {}
            }
        }

        @Test("Names are looked up on the resolver's threads alone, however they are written, and each once")
        func ownResolver() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let server = try MockServer()
                defer { server.shutdown() }
                server.route("*") { _ in .text("x") }
                let session = Session.onTest()
                for host in ["fake-a.test", "FAKE-A.test", "fake-a.test.", "fake-_b.test", "fake-a"] {
                    for _ in 0..<3 {
                        let response = await session.request("http://\(host):\(server.port)/").raw()
                        #expect(response.text == "x", "\(host)")
                        #expect(slow_lookup_count_elsewhere() == 0, "\(host)")
                        let field = try await server.takeRequest().header("Host")
                        #expect(field == "\(host.lowercased()):\(server.port)")
                    }
                }
                withExtendedLifetime(session) {}
            }
        }

        @Test("A name is looked up once for many requests, sessions and connections")
        func lookedUpOnce() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let server = try MockServer()
                defer { server.shutdown() }
                server.route("*") { _ in MockResponse.text("x").closing() }
                for _ in 0..<3 {
                    let session = Session.onTest()
                    let tasks = (0..<30).map { _ in Task { await session.request("http://fake-shared.test:\(server.port)/").raw() } }
                    for task in tasks { #expect(await task.value.text == "x") }
                    withExtendedLifetime(session) {}
                }
                #expect(slow_lookup_count() == 1, "\(slow_lookup_count()) lookups")
                #expect(slow_lookup_count_elsewhere() == 0, "\(slow_lookup_count_elsewhere()) lookups elsewhere")
            }
        }

        @Test("Names are looked up on the resolver's threads alone when requests are cancelled as addresses arrive")
        func cancelAsAddressesCome() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 120)
                let server = try MockServer(recordsRequests: false)
                defer { server.shutdown() }
                server.route("*") { _ in .text("x") }
                let session = Session.onTest()
                // Keeps the loop busy, so that it gets its commands in batches.
                let load = (0..<8).map { _ in
                    Task { while !Task.isCancelled { _ = await session.request(server.url()).raw() } }
                }
                let rounds = TestDepth.choose(60, deep: 300)
                for number in 0..<rounds {
                    let url = "http://fake-cancel-\(number).test:\(server.port)/"
                    let cancelled = session.request(url).resume()
                    _ = await eventually(within: 1) { slow_lookup_count() > number }
                    cancelled.cancel()
                    #expect(await session.request(url).raw().text == "x")
                }
                for task in load { task.cancel() }
                for task in load { await task.value }
                #expect(slow_lookup_count_elsewhere() == 0, "\(slow_lookup_count_elsewhere()) of \(rounds)")
                withExtendedLifetime(session) {}
            }
        }

        @Test("If the first address refuses, the next is tried, and later faults keep their own error codes")
        func nextAddress() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let server = try MockServer()
                defer { server.shutdown() }
                let session = Session.onTest()
                server.enqueue(.text("x"), .text("y").failing(.badChunk), .text("z").failing(.closeInBody(after: 0)))
                let url = "http://dual-a.test:\(server.port)/"
                let first = await session.request(url, headers: ["Connection": "close"]).raw()
                #expect(first.text == "x", "\(first)")
                #expect(first.hop?.remoteAddress == "127.0.0.1", "\(first.hop?.remoteAddress ?? "none")")
                let second = await session.request(url).raw()
                #expect(second.kind == .transportFailed(.cannotParseResponse), "\(second)")
                let third = await session.request(url).raw()
                #expect(third.kind == .transportFailed(.networkConnectionLost), "\(third)")
                withExtendedLifetime(session) {}
            }
        }
    }
#endif
