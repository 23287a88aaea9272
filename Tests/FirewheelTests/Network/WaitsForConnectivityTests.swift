#if os(Linux)
    import Foundation
    import SlowLookup
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// `SessionConfiguration.waitsForConnectivity`. The names that begin with `lost-` have an address to which the system connects nothing,
    /// and those that begin with `unknown-` cannot be looked up, both until they come back.
    @Suite("Waiting for the network", .timeLimit(.minutes(5)))
    struct WaitsForConnectivityTests {
        /// A server, a network that is down, and a session that uses both.
        private final class Bench: Sendable {
            let server: MockServer
            let network: FakeNetwork
            let transport: SocketTransport
            let recorder = EventRecorder()
            let session: Session

            /// - Parameter lookupPause: The seconds after which names are looked up again; never in the tests' time by default.
            init(
                _ network: FakeNetwork = FakeNetwork(.unreachable), lookupPause: TimeInterval = 3_600,
                _ change: (inout SessionConfiguration) -> Void = { _ in }
            ) throws {
                server = try MockServer()
                server.route("/*") { .text($0.path) }
                var configuration = SessionConfiguration()
                configuration.proxy = .none
                configuration.waitsForConnectivity = true
                change(&configuration)
                self.network = network
                var limits = ConnectionLimits(configuration)
                (limits.lookupPause, limits.lookupPatience) = (lookupPause, max(30, lookupPause))
                transport = SocketTransport(limits: limits, network: network)
                session = Session(configuration: configuration, transport: transport, eventMonitors: [recorder])
            }

            func url(_ host: String) -> String { "http://\(host):\(server.port)/x" }

            /// Returns when as many requests wait for the network.
            func waiting(_ count: Int = 1) async throws {
                try await waitUntil("\(count) requests wait for the network") { [recorder] in
                    recorder.words.count { $0 == "waitForConnectivity" } == count
                }
            }

            /// Has the network come back, and a name with it.
            func comeBack(_ host: String) {
                slow_lookup_restore(host)
                network.set(.reachable(isCellular: false))
            }

            func stop() { server.shutdown() }
        }

        @Test(
            "A request without a route or a lookup waits, says so, and goes on by itself when the network is back",
            arguments: ["lost", "unknown"])
        func comesBack(kind: String) async throws {
            let (bench, host) = (try Bench(), "\(kind)-back.test")
            defer { bench.stop() }
            let lines = Journal<String>()
            let request = bench.session.request(bench.url(host)).eventMonitor(.log(.verbose) { lines.add($0) })
            let response = Task { await request.raw() }
            try await bench.waiting()
            // A change that brings no network is none for the request.
            bench.network.change()
            await bench.network.settle()
            #expect(request.state == .resumed && bench.server.requestCount == 0 && bench.network.observers == 1)
            bench.comeBack(host)
            let answered = await response.value
            #expect(answered.text == "/x", "\(answered)")
            #expect(request.retryCount == 0 && request.allMetrics.count == 1 && bench.network.observers == 0)
            let words = try await bench.recorder.words(until: "finish")
            #expect(words.prefix(5) == ["resume", "createURLRequest", "createTask 0.0", "waitForConnectivity", "receiveResponse"])
            try await waitUntil("the line is written") { lines.entries.contains { $0.hasSuffix(": waits for the network") } }
            // The times are those of the connection that was opened in the end.
            let hop = try #require(answered.hop)
            let (lookup, connect, end) = (hop.domainLookupStartDate, hop.connectStartDate, hop.connectEndDate)
            if let lookup, let connect, let end { #expect(lookup <= connect && connect <= end) } else { Issue.record("\(hop)") }
        }

        @Test("Without the setting it fails at once, and the error says that there is no network", arguments: ["lost", "unknown"])
        func failsAtOnce(kind: String) async throws {
            let bench = try Bench { $0.waitsForConnectivity = false }
            defer { bench.stop() }
            let response = await bench.session.request(bench.url("\(kind)-fails.test")).raw()
            #expect(response.kind == .transportFailed(.notConnectedToInternet))
            #expect(response.words.contains("no network: cannot"), "\(response.words)")
            #expect(bench.network.observers == 0 && !bench.recorder.words.contains("waitForConnectivity"))
        }

        @Test("A host to which alone there is no route is an error of the host, and is waited for like the network")
        func oneHost() async throws {
            let address = try NetworkDestination.addresses([#require(NetworkAddress("224.0.0.1"))])
            for isWaiting in [false, true] {
                let network = FakeNetwork(.reachable(isCellular: false))
                network.set(.unreachable, of: address)
                let bench = try Bench(network) { $0.waitsForConnectivity = isWaiting }
                defer { bench.stop() }
                let host = "lost-alone-\(isWaiting).test"
                let response = Task { await bench.session.request(bench.url(host)).raw() }
                if isWaiting {
                    try await bench.waiting()
                    // The network as a whole is not what is missing.
                    network.change()
                    await network.settle()
                    slow_lookup_restore(host)
                    network.set(.reachable(isCellular: false), of: address)
                    #expect(await response.value.text == "/x")
                } else {
                    let failed = await response.value
                    #expect(failed.kind == .transportFailed(.cannotConnectToHost))
                    #expect(failed.words.hasSuffix("\(host):\(bench.server.port): network is unreachable"), "\(failed.words)")
                }
            }
        }

        @Test("What the network is not the reason for is an error as always", arguments: ["lost", "unknown"])
        func otherReasons(kind: String) async throws {
            let bench = try Bench(FakeNetwork(.reachable(isCellular: false)))
            defer { bench.stop() }
            let response = await bench.session.request(bench.url("\(kind)-other.test")).raw()
            #expect(response.kind == .transportFailed(kind == "lost" ? .cannotConnectToHost : .cannotFindHost), "\(response)")
            // It may have come back before the system was asked, so that it was tried again once.
            #expect(bench.network.asked == 2)
            // A refused connection and a name that does not exist say nothing of the network.
            let closed = try BoundSocket(listening: false)
            #expect(await bench.session.request("http://127.0.0.1:\(closed.port)/").raw().kind == .transportFailed(.cannotConnectToHost))
            #expect(await bench.session.request("http://slow-0ms-none.invalid/").raw().kind == .transportFailed(.cannotFindHost))
            #expect(bench.network.asked == 2 && bench.network.observers == 0)
            #expect(!bench.recorder.words.contains("waitForConnectivity"))
            withExtendedLifetime(closed) {}
        }

        @Test("A network that comes back before the system is asked is used at once")
        func backAlready() async throws {
            let bench = try Bench(FakeNetwork(.reachable(isCellular: false)))
            defer { bench.stop() }
            // The first lookup is the last one that fails.
            bench.network.whenAsked { slow_lookup_restore("unknown-already.test") }
            let response = await bench.session.request(bench.url("unknown-already.test")).raw()
            #expect(response.text == "/x", "\(response)")
            #expect(!bench.recorder.words.contains("waitForConnectivity"))
        }

        @Test("Without the setting a network that comes back before the system is asked is used at once, too")
        func backAlreadyWithoutWaiting() async throws {
            let bench = try Bench(FakeNetwork(.reachable(isCellular: false))) { $0.waitsForConnectivity = false }
            defer { bench.stop() }
            bench.network.whenAsked { slow_lookup_restore("lost-already.test") }
            #expect(await bench.session.request(bench.url("lost-already.test")).raw().text == "/x")
        }

        @Test("A network that comes and goes quickly at first ends no request that has waited for it")
        func flapping() async throws {
            let bench = try Bench(lookupPause: 0.01)
            defer { bench.stop() }
            let response = Task { await bench.session.request(bench.url("lost-flapping.test")).raw() }
            try await bench.waiting()
            // There is a network whenever the system is asked, and none whenever it is used.
            bench.network.set(.reachable(isCellular: false))
            let asked = bench.network.asked
            try await waitUntil("it was tried again") { bench.network.asked > asked + 5 }
            slow_lookup_restore("lost-flapping.test")
            #expect(await response.value.text == "/x")
        }

        @Test("A network that is lost again is waited for again")
        func lostAgain() async throws {
            let bench = try Bench()
            defer { bench.stop() }
            let response = Task { await bench.session.request(bench.url("unknown-again.test")).raw() }
            for count in 1...5 {
                try await bench.waiting(count)
                bench.network.answer(once: .reachable(isCellular: false))
                bench.network.change()
            }
            try await bench.waiting(6)
            bench.comeBack("unknown-again.test")
            #expect(await response.value.text == "/x")
        }

        @Test("The resource timeout limits the wait, and its error says what the request waits for")
        func resourceTimeout() async throws {
            let bench = try Bench { $0.timeoutIntervalForResource = 2 }
            defer { bench.stop() }
            let response = await bench.session.request(bench.url("lost-late.test")).raw()
            #expect(response.kind == .transportFailed(.timedOut))
            #expect(response.words.contains("waiting for the network (cannot connect to lost-late.test"), "\(response.words)")
            #expect(bench.network.observers == 0)
        }

        @Test("No other timeout runs meanwhile, nor for the wait")
        func otherTimeouts() async throws {
            let bench = try Bench {
                $0.timeoutIntervalForRequest = 2
                $0.connectTimeout = 1
                $0.connectionWaitTimeout = 1
            }
            defer { bench.stop() }
            let response = Task { await bench.session.request(bench.url("lost-patient.test")).raw() }
            try await bench.waiting()
            // Longer than the timeouts, which is what is tested.
            try await Task.sleep(nanoseconds: 2_500_000_000)
            bench.comeBack("lost-patient.test")
            #expect(await response.value.text == "/x")
        }

        @Test("A name that can be looked up only some time after the network is back does not fail")
        func lateServer() async throws {
            let bench = try Bench(lookupPause: 0.01)
            defer { bench.stop() }
            let response = Task { await bench.session.request(bench.url("unknown-dns.test")).raw() }
            try await bench.waiting()
            bench.network.set(.reachable(isCellular: false))
            // Each failed lookup asks for the network.
            let asked = bench.network.asked
            try await waitUntil("the name was looked up again") { bench.network.asked > asked + 3 }
            slow_lookup_restore("unknown-dns.test")
            #expect(await response.value.text == "/x")
            #expect(bench.recorder.words.count { $0 == "waitForConnectivity" } == 1)
        }

        @Test("A name that can be looked up although the system has no default route is found, without a change of the network")
        func lookupWithoutChange() async throws {
            let bench = try Bench(lookupPause: 0.01)
            defer { bench.stop() }
            let response = Task { await bench.session.request(bench.url("unknown-local.test")).raw() }
            try await bench.waiting()
            let asked = bench.network.asked
            try await waitUntil("the name was looked up again") { bench.network.asked > asked + 3 }
            slow_lookup_restore("unknown-local.test")
            #expect(await response.value.text == "/x")
            #expect(bench.recorder.words.count { $0 == "waitForConnectivity" } == 1 && bench.network.observers == 0)
        }

        @Test("A lookup that takes too long while the request waits for the network does not end the wait")
        func slowLookup() async throws {
            let bench = try Bench(lookupPause: 0.01) { $0.connectTimeout = 0.5 }
            defer { bench.stop() }
            let response = Task { await bench.session.request(bench.url("unknown-slow-wait.test")).raw() }
            try await bench.waiting()
            let asked = bench.network.asked
            try await waitUntil("the name was looked up again") { bench.network.asked > asked + 2 }
            bench.comeBack("unknown-slow-wait.test")
            #expect(await response.value.text == "/x")
        }

        @Test("In another network the name is looked up anew: its old addresses may have no route there")
        func otherAddresses() async throws {
            let address = try NetworkDestination.addresses([#require(NetworkAddress("224.0.0.1"))])
            let network = FakeNetwork(.unreachable)
            network.set(.unreachable, of: address)
            let bench = try Bench(network)
            defer { bench.stop() }
            let response = Task { await bench.session.request(bench.url("lost-moved.test")).raw() }
            try await bench.waiting()
            slow_lookup_restore("lost-moved.test")
            network.set(.reachable(isCellular: false))
            #expect(await response.value.text == "/x")
        }

        @Test("Over HTTP/2 all requests that have waited share one connection")
        func shared() async throws {
            let bench = try Bench { $0.httpVersions = .http2PriorKnowledge }
            defer { bench.stop() }
            let front = try HTTP2Front(to: bench.server.port)
            defer { front.stop() }
            let url = "http://lost-shared.test:\(front.port)/x"
            let responses = (0..<50).map { _ in Task { await bench.session.request(url).raw() } }
            try await bench.waiting(50)
            bench.comeBack("lost-shared.test")
            for response in responses {
                let answered = await response.value
                #expect(answered.text == "/x", "\(answered)")
            }
            #expect(front.visits.count == 1)
        }

        @Test("A cancelled request and an invalidated session wait no more")
        func cancelled() async throws {
            let bench = try Bench()
            defer { bench.stop() }
            let requests = (0..<3).map { _ in bench.session.request(bench.url("lost-cancel.test")).resume() }
            try await bench.waiting(3)
            requests[0].cancel()
            #expect(await requests[0].raw().kind == .explicitlyCancelled)
            #expect(bench.network.observers == 1)
            bench.session.invalidate()
            for request in requests.dropFirst() { #expect(await request.raw().kind == .sessionInvalidated) }
            try await waitUntil("the observation ends") { bench.network.observers == 0 }
        }

        @Test("A transport that is released ends its requests, and observes the network no more")
        func released() async throws {
            let network = FakeNetwork(.unreachable)
            let receiver = ConformanceRecorder()
            var request = TransportRequest(
                id: TransportTaskID(request: 1), method: .get, target: try #require(TargetURI("http://lost-released.test/")))
            request.waitsForConnectivity = true
            let sent = request
            receiver.expect(sent)
            do {
                let transport = SocketTransport(limits: ConnectionLimits(SessionConfiguration()), network: network)
                transport.start(sent, receiver: receiver)
                try await waitUntil("the request waits") { network.observers == 1 }
            }
            try await waitUntil("the request ends") { receiver[sent.id].result != nil }
            #expect(receiver[sent.id].result?.error == .failed(.cancelled, "the transport was released"))
            #expect(network.observers == 0 && receiver.violations == [])
        }

        @Test("A request that is suspended while it waits is sent only when it is resumed")
        func suspended() async throws {
            let (bench, host) = (try Bench(), "lost-suspended.test")
            defer { bench.stop() }
            let receiver = ConformanceRecorder()
            var request = TransportRequest(
                id: TransportTaskID(request: 1), method: .get, target: try #require(TargetURI(bench.url(host))))
            request.waitsForConnectivity = true
            receiver.expect(request)
            bench.transport.start(request, receiver: receiver)
            let id = request.id
            try await waitUntil("the request waits") { bench.network.observers == 1 }
            // Commands take effect in the order in which they are called.
            bench.transport.pause(id)
            bench.comeBack(host)
            try await waitUntil("the transport knows of the network") { bench.network.observers == 0 }
            #expect(await bench.session.request("http://127.0.0.1:\(bench.server.port)/other").raw().text == "/other")
            #expect(bench.server.requestCount == 1 && receiver[id].result == nil)
            bench.transport.resume(id)
            try await waitUntil("the request ends") { receiver[id].result != nil }
            #expect(receiver[id].result?.head?.statusCode == 200 && receiver.violations == [])
        }

        @Test("Requests that wait take no places: more of them than connections wait at a time, and other hosts have theirs")
        func places() async throws {
            let bench = try Bench {
                $0.maximumConnectionsPerHost = 2
                $0.maximumTotalConnections = 2
            }
            defer { bench.stop() }
            let responses = (0..<100).map { _ in Task { await bench.session.request(bench.url("lost-many.test")).raw() } }
            try await bench.waiting(100)
            #expect(bench.network.observers == 1)
            let other = await bench.session.request("http://127.0.0.1:\(bench.server.port)/other").raw()
            #expect(other.text == "/other", "\(other)")
            bench.comeBack("lost-many.test")
            for response in responses { #expect(await response.value.text == "/x") }
            #expect(bench.server.requestCount == 101)
        }

        @Test("A proxy to which there is no route is waited for", arguments: ["lost", "unknown"])
        func proxy(kind: String) async throws {
            let host = "\(kind)-proxy.test"
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in .text("forwarded") }
            let bench = try Bench { $0.proxy = .http(host: host, port: server.port) }
            defer { bench.stop() }
            let response = Task { await bench.session.request("http://far.test/x").raw() }
            try await bench.waiting()
            bench.comeBack(host)
            let answered = await response.value
            #expect(answered.text == "forwarded", "\(answered)")
            #expect(answered.hop?.isProxyConnection == true)
        }

        @Test("A request that is suspended and resumed while it waits goes on waiting")
        func resumed() async throws {
            let (bench, host) = (try Bench(), "lost-resumed.test")
            defer { bench.stop() }
            let request = bench.session.request(bench.url(host))
            let response = Task { await request.raw() }
            try await bench.waiting()
            request.suspend().resume()
            bench.comeBack(host)
            #expect(await response.value.text == "/x")
            #expect(bench.recorder.words.count { $0 == "waitForConnectivity" } == 1)
        }

        @Test("A SOCKS 4 proxy is told the server's address in the network that is back")
        func addressForProxy() async throws {
            let (server, host) = (try MockServer(), "lost-server4.test")
            defer { server.shutdown() }
            server.route("/*") { _ in .text("by the proxy") }
            let proxy = try TestSOCKSProxy()
            defer { proxy.stop() }
            let bench = try Bench()
            defer { bench.stop() }
            let url = "http://\(host):\(server.port)/"
            let rules = ProxyRules(environment: { $0 == "ALL_PROXY" ? "socks4://lost-proxy4.test:\(proxy.port)" : nil })
            let client = try ProxyClient(rules, of: url, transport: bench.transport)
            let id = try client.start(url) { $0.waitsForConnectivity = true }
            try await waitUntil("the request waits") { bench.network.observers == 1 }
            slow_lookup_restore(host)
            bench.comeBack("lost-proxy4.test")
            #expect(try await client.result(id).body == Data("by the proxy".utf8))
            #expect(proxy.asked.map(\.host) == ["127.0.0.1"])
        }

        @Test("A body from a stream is read when the network is back, and not before")
        func body() async throws {
            let (bench, host) = (try Bench(), "lost-body.test")
            defer { bench.stop() }
            let hasBegun = Locked(false)
            let body = AsyncStream<Data> { continuation in
                continuation.yield(Data("streamed".utf8))
                continuation.finish()
            }.map { piece in
                hasBegun.withLock { $0 = true }
                return piece
            }
            let request = bench.session.upload(body, to: bench.url(host))
            let response = Task { await request.raw() }
            try await bench.waiting()
            #expect(!hasBegun.withLock { $0 })
            bench.comeBack(host)
            #expect(await response.value.text == "/x")
            #expect(try await bench.server.takeRequest().body == Data("streamed".utf8))
        }

        @Test("A system that reports no changes cannot be waited for, and the error says so")
        func silentSystem() async throws {
            let bench = try Bench(FakeNetwork(.unreachable, reportsChanges: false))
            defer { bench.stop() }
            let response = await bench.session.request(bench.url("lost-silent.test")).raw()
            #expect(response.kind == .transportFailed(.notConnectedToInternet))
            #expect(
                response.words.hasSuffix("network is unreachable, and the system does not report when that changes"), "\(response.words)")
        }
    }
#endif
