#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// That many requests to one host do not keep the others from their turn.
    @Suite("Fairness between hosts", .timeLimit(.minutes(5)))
    struct FairnessTests {
        @Test(
            "Without a total limit one request is answered while 10,000 to another host wait, none of which is",
            arguments: [LimitsBench.Kind.http1, .http2, .secure])
        func unlimited(kind: LimitsBench.Kind) async throws {
            // Over HTTP/2 each request that the server has costs several threads.
            let bench = try LimitsBench(total: nil, kind) { $0.maximumConnectionsPerHost = kind == .http1 ? 64 : 2 }
            defer { bench.stop() }
            bench.flood(0, TestDepth.flood)
            try await bench.waitForRequests(TestDepth.flood)
            try await bench.waitForArrivals(kind == .http1 ? 64 : 2 * LimitsBench.streams)
            #expect(await bench.text(1, "/one") == "/one")
            try await bench.waitForRequests(TestDepth.flood)
            bench.session.cancelAllRequests()
            bench.open()
            try await bench.waitForRequests(0)
        }

        @Test("With a total limit it gets the next connection that ends a request, of 10,000 that wait", arguments: [4, 64])
        func limited(total: Int) async throws {
            let bench = try LimitsBench(total: total)
            defer { bench.stop() }
            bench.flood(0, TestDepth.flood)
            try await bench.waitForArrivals(total)
            try await bench.waitForRequests(TestDepth.flood)
            let one = Task { await bench.text(1, "/one") }
            try await bench.wait(for: "the host that waits") { $0.lines["h1.test"] == 0 }
            let before = try bench.look()
            bench.letThrough(1)
            try await bench.waitForArrivals(total + 1)
            let after = try bench.look()
            #expect(bench.arrivals.entries[total] == "/one", "\(before), then \(after); \(bench.arrivals.entries.prefix(80))")
            bench.open()
            #expect(await one.value == "/one")
            try await bench.waitForFlood(TestDepth.flood)
            try await bench.expectRest(total: total)
        }

        @Test("The only connection changes hosts after a few requests, because opening another for each would be slow")
        func single() async throws {
            let bench = try LimitsBench(total: 1)
            defer { bench.stop() }
            bench.flood(0, 500)
            try await bench.waitForArrivals(1)
            try await bench.waitForRequests(500)
            let one = Task { await bench.text(1, "/one") }
            try await bench.wait(for: "the host that waits") { $0.lines["h1.test"] == 0 }
            bench.letThrough(8)
            #expect(await one.value == "/one")
            #expect(bench.arrivals.entries.firstIndex(of: "/one").map { (1...8).contains($0) } == true)
            bench.open()
            try await bench.waitForFlood(500)
        }

        @Test("An HTTP/2 connection takes no more requests as soon as another host waits, and makes room", arguments: [1, 2])
        func multiplexed(total: Int) async throws {
            let bench = try LimitsBench(total: total, .http2, limits: { $0.yieldTime = 600 })
            defer { bench.stop() }
            bench.flood(0, 2_000)
            try await bench.waitForArrivals(LimitsBench.streams * total)
            try await bench.waitForRequests(2_000)
            let one = Task { await bench.text(1, "/one") }
            try await bench.wait(for: "the host that waits") { $0.lines["h1.test"] == 0 }
            bench.letThrough(1)
            try await bench.wait(for: "the connection that yields") { $0.yielding == 1 }
            // With two connections those on the other are answered, too, and others take their places.
            if total == 1 {
                bench.letThrough(LimitsBench.streams - 1)
                #expect(await one.value == "/one")
                #expect(bench.arrivals.entries.firstIndex(of: "/one") == LimitsBench.streams)
            }
            bench.open()
            #expect(await one.value == "/one")
            try await bench.waitForFlood(2_000)
            try await bench.expectRest(total: total)
        }

        @Test("A connection that yields takes requests again if nobody waits for it any more")
        func cancelledYield() async throws {
            let bench = try LimitsBench(
                total: 1, .http2,
                limits: {
                    $0.yieldTime = 600
                    $0.busyPatience = 0.05
                })
            defer { bench.stop() }
            let held = bench.get(0, "/held").resume()
            try await bench.waitForArrivals(1)
            let waiter = bench.get(1, "/waiter").resume()
            try await bench.wait(for: "the host that waits") { $0.blocked == 1 }
            #expect(await bench.text(0, "/first") == "/first")
            try await bench.wait(for: "the connection that yields") { $0.yielding == 1 }
            let second = Task { await bench.text(0, "/second") }
            try await bench.wait(for: "both hosts") { $0.blocked == 2 }
            // In the end its own host counts as one without a connection, and must not wait for itself.
            for _ in 0..<1_000 where try bench.look().lines["h0.test"] != 0 {
                bench.get(2, "/other").resume().cancel()
                try await Task.sleep(for: .milliseconds(2))
            }
            #expect(try bench.look().lines["h0.test"] == 0)
            waiter.cancel()
            #expect(await second.value == "/second")
            bench.open()
            #expect(await held.raw().text == "/held")
            try await bench.expectRest(total: 1)
        }

        @Test("A stream that does not end does not keep the requests to its host waiting for ever, for the sake of another host")
        func longStream() async throws {
            let bench = try LimitsBench(total: 1, .http2, limits: { $0.yieldTime = 0.05 })
            defer { bench.stop() }
            let held = bench.get(0, "/held").resume()
            try await bench.waitForArrivals(1)
            let other = Task { await bench.text(1, "/other") }
            try await bench.wait(for: "the host that waits") { $0.blocked == 1 }
            for number in 0..<5 { #expect(await bench.text(0, "/\(number)") == "/\(number)") }
            #expect(!bench.arrivals.entries.contains("/other"))
            bench.open()
            #expect(await other.value == "/other")
            #expect(await held.raw().text == "/held")
            try await bench.expectRest(total: 1)
        }

        @Test("While an HTTP/2 connection cannot make room, because a stream does not end, others do")
        func stuckYield() async throws {
            let bench = try LimitsBench(total: 2, .secure, limits: { $0.yieldTime = 600 })
            defer { bench.stop() }
            let stuck = bench.get(0, "/held").resume()
            try await bench.waitForArrivals(1)
            bench.flood(100, 200)
            try await bench.wait(for: "the flood") { $0.requests == 201 && $0.shares.values.reduce(0, +) == 2 }
            try await bench.waitForArrivals(2)
            let one = Task { await bench.text(101, "/one") }
            try await bench.wait(for: "the hosts that wait") { $0.blocked == 2 }
            #expect(await bench.text(0, "/first") == "/first")
            try await bench.wait(for: "the connection that yields") { $0.yielding == 1 }
            bench.letThrough(8)
            // The token that the stuck stream may have taken.
            bench.letThrough(1)
            #expect(await one.value == "/one")
            bench.open()
            try await bench.waitForFlood(200)
            #expect(await stuck.raw().text == "/held")
            try await bench.expectRest(total: 2)
        }

        @Test("Hosts with many requests share the connections, also with one that had all of them")
        func shares() async throws {
            let bench = try LimitsBench(total: 8, limits: { $0.busyPatience = 600 })
            defer { bench.stop() }
            bench.flood(0, 1_000)
            try await bench.waitForArrivals(8)
            for host in 1..<4 { bench.flood(host, 1_000) }
            try await bench.waitForRequests(4_000)
            var passed = 0
            let even = Dictionary(uniqueKeysWithValues: (0..<4).map { ("h\($0).test", 2) })
            while try bench.look().shares != even, passed < 400 {
                bench.letThrough(1)
                passed += 1
                try await bench.wait(for: "what \(passed) have given back") { [passed] in
                    $0.requests == 4_000 - passed && $0.connections == 8
                }
                try await bench.waitForArrivals(8 + passed)
            }
            #expect(try bench.look().shares == even, "after \(passed) requests")
            // They stay as they are.
            let opened = bench.server.connectionCount
            for _ in 0..<200 {
                bench.letThrough(1)
                passed += 1
                try await bench.waitForArrivals(8 + passed)
            }
            #expect(try bench.look().shares == even && bench.server.connectionCount == opened)
            bench.open()
            try await bench.waitForFlood(4_000)
        }

        @Test("More hosts than connections take turns", arguments: [LimitsBench.Kind.http1, .http2])
        func turns(kind: LimitsBench.Kind) async throws {
            let bench = try LimitsBench(total: 2, kind, limits: { $0.yieldTime = 600 })
            defer { bench.stop() }
            for host in 0..<6 { bench.flood(host, 300) }
            try await bench.waitForRequests(1_800)
            bench.open()
            try await bench.waitForFlood(1_800)
            let order = bench.arrivals.entries
            for host in 0..<6 {
                let first = try #require(order.firstIndex { $0.hasPrefix("/held/\(host)/") })
                // A turn is at most eight requests, or those of an HTTP/2 connection. Before it come one turn of each other host and some
                // requests more, which the other connection has in the meantime.
                #expect(first <= (kind == .http1 ? 60 : 12 * LimitsBench.streams), "host \(host) was first served after \(first)")
            }
            try await bench.expectRest(total: 2)
        }

        @Test("A host whose connections stay busy gets another connection in the end, although others always want one")
        func busy() async throws {
            let bench = try LimitsBench(total: 2, limits: { $0.busyPatience = 0.1 })
            defer { bench.stop() }
            let held = bench.get(0, "/held").resume()
            try await bench.waitForArrivals(1)
            let isOver = Locked(false)
            // Each has as many connections as the first host.
            let others = Task {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            while !isOver.withLock({ $0 }) { #expect(await bench.text(1, "/other") == "/other") }
                        }
                    }
                }
            }
            try await bench.waitForArrivals(100)
            for _ in 0..<5 { #expect(await bench.text(0, "/behind") == "/behind") }
            isOver.withLock { $0 = true }
            await others.value
            bench.open()
            #expect(await held.raw().text == "/held")
        }

        @Test("Through an HTTP proxy, to which all hosts share the connections, each host has its turn as well", arguments: [nil, 4])
        func proxied(total: Int?) async throws {
            let bench = try LimitsBench(total: total, .proxy)
            defer { bench.stop() }
            bench.flood(0, 1_000)
            try await bench.waitForArrivals(total ?? 64)
            try await bench.waitForRequests(1_000)
            let (one, cancelled) = (Task { await bench.text(1, "/one") }, bench.get(2, "/two").resume())
            try await bench.waitForRequests(1_002)
            cancelled.cancel()
            try await bench.waitForRequests(1_001)
            // Before it come one that found no room for a connection, and one that has the turn of the flood's host.
            bench.letThrough(3)
            #expect(await one.value == "/one")
            #expect(bench.arrivals.entries.firstIndex(of: "/one").map { $0 <= (total ?? 64) + 2 } == true)
            bench.open()
            try await bench.waitForFlood(1_000)
            #expect(!bench.arrivals.entries.contains("/two"))
        }
    }
#endif
