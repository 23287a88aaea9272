#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// `SessionConfiguration.maximumTotalConnections`, as users see it.
    @Suite("The limit of all connections together", .timeLimit(.minutes(5)))
    struct TotalConnectionsTests {
        @Test(
            "No more connections are open than the limit, whatever the number of hosts, and every request is answered", arguments: [1, 3])
        func many(total: Int) async throws {
            let bench = try LimitsBench(total: total)
            defer { bench.stop() }
            let most = try await bench.mostConnections {
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<900 { group.addTask { #expect(await bench.text(number % 300, "/\(number)") == "/\(number)") } }
                }
            }
            #expect((1...total).contains(most) && bench.load.most <= total, "\(bench.load.most) at a time")
            try await bench.expectRest(total: total)
        }

        @Test("Idle connections to other hosts are closed to make room, and kept otherwise")
        func idle() async throws {
            let bench = try LimitsBench(total: 2)
            defer { bench.stop() }
            for (host, isReused) in [(0, false), (1, false), (0, true), (1, true), (2, false), (1, true), (0, false), (1, true)] {
                let response = await bench.get(host, "/\(host)").raw()
                #expect(response.text == "/\(host)" && response.hop?.isReusedConnection == isReused, "\(host): \(response)")
            }
            #expect(bench.server.connectionCount == 4)
        }

        @Test("After bursts of requests to one host its connection is kept and used again", arguments: [LimitsBench.Kind.http1, .http2])
        func bursts(kind: LimitsBench.Kind) async throws {
            let bench = try LimitsBench(total: 1, kind)
            defer { bench.stop() }
            for burst in 1...3 {
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<30 { group.addTask { #expect(await bench.text(0, "/\(number)") == "/\(number)") } }
                }
                try await bench.expectRest(total: 1)
                let look = try bench.look()
                #expect(look.idle == 1, "after \(burst) bursts: \(look)")
            }
            let response = await bench.get(0, "/last").raw()
            #expect(response.hop?.isReusedConnection == true)
            if kind == .http1 { #expect(bench.server.connectionCount == 1) }
        }

        @Test("A connection that cannot be opened gives its place back")
        func refused() async throws {
            let closed = try BoundSocket(listening: false)
            let bench = try LimitsBench(total: 1) {
                for number in 100..<200 { $0.hosts["h\(number).test"] = "127.0.0.1:\(closed.port)" }
            }
            defer { bench.stop() }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let text = await bench.text(number, "/\(number)")
                        #expect((text == "/\(number)") == (number < 100))
                    }
                }
            }
            try await bench.expectRest(total: 1)
            withExtendedLifetime(closed) {}
        }

        @Test("A request that waits can be cancelled, suspended and resumed, and those behind it go on")
        func commands() async throws {
            let bench = try LimitsBench(total: 1)
            defer { bench.stop() }
            let held = Task { await bench.text(0, "/held") }
            try await bench.waitForArrivals(1)
            let (cancelled, suspended) = (bench.get(1, "/1").resume(), bench.get(2, "/2").resume())
            try await bench.wait(for: "two hosts that wait") { $0.blocked == 2 }
            // Behind the suspended one, to the same host.
            let behind = Task { await bench.text(2, "/behind") }
            try await bench.waitForRequests(4)
            suspended.suspend()
            let (first, second) = (Task { await cancelled.raw() }, Task { await suspended.raw() })
            cancelled.cancel()
            #expect(await first.value.error?.asFirewheelError?.kind == .explicitlyCancelled)
            try await bench.wait(for: "one host that waits") { $0.blocked == 1 }
            bench.open()
            #expect(await held.value == "/held")
            #expect(await behind.value == "/behind")
            try await bench.expectRest(total: 1, requests: 1)
            #expect(!bench.arrivals.entries.contains("/2"))
            suspended.resume()
            #expect(await second.value.text == "/2")
            try await bench.expectRest(total: 1)
        }

        @Test("A host whose only waiting request is cancelled gets no connection, and the others keep theirs")
        func cancelledWaiter() async throws {
            let bench = try LimitsBench(total: 1)
            defer { bench.stop() }
            let held = Task { await bench.get(0, "/held").raw() }
            try await bench.waitForArrivals(1)
            for number in 0..<100 {
                let waiter = bench.get(1, "/\(number)").resume()
                try await bench.wait(for: "the host that waits") { $0.blocked == 1 }
                waiter.cancel()
                try await bench.wait(for: "none that waits") { $0.blocked == 0 }
            }
            bench.open()
            #expect(await held.value.text == "/held")
            #expect(await bench.get(0, "/again").raw().hop?.isReusedConnection == true)
        }

        @Test("A host whose only waiting request is suspended does not count", arguments: [LimitsBench.Kind.http1, .http2])
        func suspendedWaiter(kind: LimitsBench.Kind) async throws {
            let bench = try LimitsBench(total: 1, kind)
            defer { bench.stop() }
            let held = Task { await bench.get(0, "/held").raw() }
            try await bench.waitForArrivals(1)
            let waiter = bench.get(1, "/waiter").resume()
            try await bench.wait(for: "the host that waits") { $0.blocked == 1 }
            waiter.suspend()
            try await bench.wait(for: "none that waits") { $0.blocked == 0 }
            bench.open()
            #expect(await held.value.text == "/held")
            #expect(await bench.get(0, "/again").raw().hop?.isReusedConnection == true)
            waiter.resume()
            #expect(await waiter.raw().text == "/waiter")
            try await bench.expectRest(total: 1)
        }

        @Test(
            "A host whose connections speak different versions of HTTP uses all of them",
            arguments: [LimitsBench.Kind.secondIsHTTP1, .secondIsHTTP2])
        func versions(kind: LimitsBench.Kind) async throws {
            let bench = try LimitsBench(total: 2, kind)
            defer { bench.stop() }
            let first = Task { await bench.text(0, "/held/1") }
            try await bench.waitForArrivals(1)
            let second = Task { await bench.text(0, "/held/2") }
            // Over HTTP/1.1 it opens a connection at once, and over HTTP/2 because the first has no room.
            try await bench.waitForArrivals(2)
            let third = Task { await bench.text(0, "/held/3") }
            try await bench.waitForRequests(3)
            bench.letThrough(1)
            try await bench.waitForArrivals(3)
            let fourth = Task { await bench.text(0, "/held/4") }
            try await bench.waitForRequests(3)
            bench.letThrough(1)
            try await bench.waitForArrivals(4)
            bench.open()
            #expect(await [first.value, second.value, third.value, fourth.value] == (1...4).map { "/held/\($0)" })
            try await bench.expectRest(total: 2)
        }

        @Test("A request that waits too long says for what")
        func words() async throws {
            let bench = try LimitsBench(total: 1) { $0.connectionWaitTimeout = 0.4 }
            defer { bench.stop() }
            let held = bench.get(0, "/held").resume()
            try await bench.waitForArrivals(1)
            let response = await bench.get(1, "/1").raw()
            #expect(response.kind == .transportFailed(.timedOut))
            let pattern = /: timed out, waited \d+\.\d s for one of the session's connections, of which maximumTotalConnections allows 1$/
            #expect(response.words.contains(pattern), "\(response.words)")
            // To the same host it waits for the host's connections as well as for any.
            let other = await bench.get(0, "/0").raw()
            #expect(other.words.contains(pattern), "\(other.words)")
            held.cancel()
            try await bench.expectRest(total: 1)
        }

        @Test("Over TLS the first connection to a host, which decides about the version of HTTP, counts as any other", arguments: [1, 3])
        func secure(total: Int) async throws {
            let bench = try LimitsBench(total: total, .secure)
            defer { bench.stop() }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 { group.addTask { #expect(await bench.text(number % 20, "/\(number)") == "/\(number)") } }
            }
            try await bench.expectRest(total: total)
            #expect(bench.front?.visits.isEmpty == false)
        }

        @Test("Requests that answer challenges of a proxy get through with one connection for all", arguments: ["http", "https"])
        func challenge(scheme: String) async throws {
            let challenge =
                "HTTP/1.1 407 No\r\nProxy-Authenticate: Digest realm=\"p\", nonce=\"n\", qop=\"auth\"\r\nContent-Length: 0\r\n\r\n"
            let proxy = try TestProxy { head in
                head.contains("Digest") ? .bytes("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n") : .bytes(challenge, closes: false)
            }
            defer { proxy.stop() }
            let credential = URLCredential(user: "ada", password: "p", persistence: .none)
            let session = ProxyBench.session(.http(host: "127.0.0.1", port: proxy.port, credential: credential)) {
                $0.maximumTotalConnections = 1
            }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        let response = await session.request("\(scheme)://h\(number).invalid/").raw()
                        let isRefused = response.kind == .proxyConnectFailed(status: 403)
                        #expect(scheme == "http" ? response.response?.statusCode == 403 : isRefused, "\(response)")
                    }
                }
            }
            // At least the first request was challenged.
            #expect(proxy.heads.count >= 11)
        }

        @Test("Requests of many hosts that end in any way leave no host waiting", arguments: [LimitsBench.Kind.http1, .http2])
        func random(kind: LimitsBench.Kind) async throws {
            let bench = try LimitsBench(total: 3, kind) { $0.maximumConnectionsPerHost = 2 }
            defer { bench.stop() }
            let most = try await bench.mostConnections {
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<1_500 {
                        group.addTask {
                            var random = SeededGenerator(state: UInt64(number))
                            let request = bench.get(Int.random(in: 0..<12, using: &random), "/\(number)")
                            let task = Task { await request.raw() }
                            switch Int.random(in: 0..<4, using: &random) {
                            case 0: request.cancel()
                            case 1:
                                request.suspend()
                                request.resume()
                            default: break
                            }
                            let response = await task.value
                            let isCancelled = response.error?.asFirewheelError?.kind == .explicitlyCancelled
                            #expect(response.text == "/\(number)" || isCancelled, "\(response)")
                        }
                    }
                }
            }
            #expect((1...3).contains(most))
            try await bench.expectRest(total: 3)
            #expect(await bench.text(250, "/last") == "/last")
        }

        @Test("Values below 1 count as 1, nil is no limit, and no value is too large")
        func values() async throws {
            #expect(SessionConfiguration().maximumTotalConnections == nil)
            for (value, total) in [(nil, nil), (0, 1), (-5, 1), (7, 7), (Int.min, 1), (Int.max, Int.max)] as [(Int?, Int?)] {
                #expect(ConnectionLimits(.with { $0.maximumTotalConnections = value }).total == total)
            }
            for kind in [LimitsBench.Kind.http1, .http2] {
                let bench = try LimitsBench(total: .max, kind) { $0.maximumConnectionsPerHost = .max }
                defer { bench.stop() }
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<20 { group.addTask { #expect(await bench.text(0, "/\(number)") == "/\(number)") } }
                }
            }
        }

        @Test("URLSession cannot limit them, and says so")
        func urlSession() async {
            let configuration = SessionConfiguration.with { $0.maximumTotalConnections = 4 }
            let session = Session(configuration: configuration, transport: URLSessionTransport(configuration: configuration))
            let response = await session.request("http://127.0.0.1:1/").raw()
            #expect(response.kind == .transportFailed(.resourceUnavailable))
            #expect(response.words.contains("leave maximumTotalConnections nil"), "\(response.words)")
        }
    }
#endif
