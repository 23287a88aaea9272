#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// How long a request waits for a connection, and what its error says about that.
    @Suite("Waiting for a connection", .timeLimit(.minutes(5)))
    struct ConnectionWaitTests {
        /// A server that answers `/held` when the semaphore is signaled, and a session whose connections to it are all in use.
        private func busy(
            _ limit: Int = 1, _ change: (inout SessionConfiguration) -> Void = { _ in }
        ) async throws -> Busy {
            let (server, release) = (try MockServer(), DispatchSemaphore(value: 0))
            server.route("/held") { _ in
                release.wait()
                return .text("held")
            }
            server.route("/") { _ in .text("fast") }
            var configuration = SessionConfiguration.with { $0.maximumConnectionsPerHost = limit }
            change(&configuration)
            let transport = SocketTransport(configuration: configuration)
            let session = Session(configuration: configuration, transport: transport)
            let held = (0..<limit).map { _ in session.get(server.url("/held")).serializingString() }
            #expect(await server.waitForRequests(limit))
            return Busy(server: server, transport: transport, session: session, held: held, release: release)
        }

        private struct Busy {
            let server: MockServer
            let transport: SocketTransport
            let session: Session
            let held: [DataTask<String>]
            let release: DispatchSemaphore

            func url(_ path: String = "/") -> String { server.url(path) }

            /// Lets the requests that hold the connections end.
            func finish() async throws {
                for _ in held { release.signal() }
                for task in held { #expect(try await task.value == "held") }
                server.shutdown()
            }
        }

        private func error(of response: DataResponse<Data?>) throws -> (error: FirewheelError, words: String) {
            let error = try #require(response.error as? FirewheelError)
            return (error, "\(error)")
        }

        @Test("A request that waits too long fails, and its error says how long it has waited and for what", arguments: [1, 3])
        func limit(count: Int) async throws {
            let busy = try await busy(count) { $0.connectionWaitTimeout = 0.4 }
            let (response, seconds) = await busy.session.get(busy.url()).timed()
            let (error, words) = try error(of: response)
            #expect(error.kind == .transportFailed(.timedOut) && error.isTimeout)
            let waited = try #require(
                words.firstMatch(of: /: timed out, waited (\d+\.\d) s for one of (\d) connections to 127\.0\.0\.1:(\d+)$/), "\(words)")
            #expect(waited.2 == "\(count)" && busy.url().contains(":\(waited.3)/"))
            #expect(seconds >= 0.35 && (Double(waited.1) ?? 0) >= 0.4)
            // The connections go on, and nothing of the request was sent.
            #expect(busy.server.requestCount == count)
            try await busy.finish()
        }

        @Test("A resource timeout that ends a waiting request says so, too, the session's and the request's own")
        func resource() async throws {
            try await atOnce([true, false]) { isOwn in
                let busy = try await busy()
                var request = busy.session.get(busy.url())
                if isOwn { request = request.timeout(total: 0.4) }
                let other = Session(configuration: .with { $0.timeoutIntervalForResource = 0.4 }, transport: busy.transport)
                if !isOwn { request = other.get(busy.url()) }
                let (_, words) = try error(of: await request.raw())
                let pattern =
                    /: timed out, resource timeout exceeded \(see .*\), waited \d+\.\d s for one of 1 connections to 127\.0\.0\.1:\d+$/
                #expect(words.contains(pattern), "\(words)")
                try await busy.finish()
            }
        }

        @Test("A resource timeout that ends a running or a suspended request does not speak of connections")
        func others() async throws {
            let busy = try await busy()
            let (_, running) = try error(of: await Session().get(busy.url("/held")).timeout(total: 0.4).raw())
            // Started first, because the time begins with that.
            let suspended = busy.session.get(busy.url()).timeout(total: 0.4).resume().suspend()
            let (_, paused) = try error(of: await suspended.raw())
            for words in [running, paused] { #expect(words.hasSuffix("(see timeoutIntervalForResource and timeout(total:))"), "\(words)") }
            busy.release.signal()
            try await busy.finish()
        }

        @Test("A request that gets a connection in time is not limited any more")
        func inTime() async throws {
            let busy = try await busy { $0.connectionWaitTimeout = 30 }
            busy.server.route("/slow") { _ in MockResponse.text("slow").delayed(head: 0.2) }
            let waiting = (0..<5).map { _ in busy.session.get(busy.url("/slow")).serializingString() }
            busy.release.signal()
            for task in waiting { #expect(try await task.value == "slow") }
            for task in busy.held { #expect(try await task.value == "held") }
            // What runs may take longer than the limit.
            let quick = Session(configuration: .with { $0.connectionWaitTimeout = 0.1 })
            #expect(try await quick.get(busy.url("/slow")).serializingString().value == "slow")
            busy.server.shutdown()
        }

        @Test("nil, 0, negative numbers, NaN and infinity are no limit")
        func noLimit() async throws {
            try await atOnce([nil, 0, -1, .nan, .infinity] as [TimeInterval?]) { limit in
                let busy = try await busy { $0.connectionWaitTimeout = limit }
                let waiting = busy.session.get(busy.url()).serializingString()
                // It has begun to wait when another request, which is behind it, has timed out.
                let behind = await busy.session.get(busy.url()).timeout(total: 0.3).raw()
                #expect(behind.kind == .transportFailed(.timedOut))
                busy.release.signal()
                #expect(try await waiting.value == "fast")
                busy.release.signal()
                try await busy.finish()
            }
        }

        @Test("The wait does not run while the request is suspended, and begins anew")
        func suspended() async throws {
            let busy = try await busy { $0.connectionWaitTimeout = 0.5 }
            let request = busy.session.get(busy.url()).suspend()
            request.resume()
            request.suspend()
            async let response = request.raw()
            // Longer than the limit: this can only pass too early.
            try await Task.sleep(for: .seconds(0.8))
            #expect(request.isSuspended && request.error == nil)
            let resumed = MonotonicInstant.now()
            request.resume()
            let late = await response
            #expect(late.kind == .transportFailed(.timedOut) && MonotonicInstant.now().seconds(since: resumed) >= 0.45)
            try await busy.finish()
        }

        @Test("Requests that wait for a place on an HTTP/2 connection are limited, too")
        func http2() async {
            let bench = HTTP2WireBench { $0.maximumConnectionsPerHost = 1 }
            await HTTP2WireBench.run(bench) { server, bench in
                let first = try bench.start(server.url)
                let peer = try server.accept(settings: [(3, 1)])
                let stream = try peer.request()
                let second = try bench.start(server.url) { $0.connectionWaitTimeout = 0.4 }
                guard case .failed(.timedOut, let words)? = try bench.end(of: second).error else {
                    Issue.record("it did not time out")
                    return
                }
                #expect(words.contains(/^timed out, waited \d+\.\d s for one of 1 connections to .*:\d+$/), "\(words)")
                peer.answer(stream, "first")
                #expect(try bench.text(of: first) == "first")
            }
        }

        @Test("The setting reaches every hop of every request, and a retry policy repeats the failure")
        func passedOn() async throws {
            let stub = StubTransport { request in
                if request.id.hop == 0 { return [.response(ResponseHead(statusCode: 302, headers: ["Location": "/b"])), .finish()] }
                return [.fail(.failed(.timedOut, "timed out, waited 1.5 s"))]
            }
            let session = Session(
                configuration: .with { $0.connectionWaitTimeout = 1.5 }, transport: stub,
                interceptor: .retryPolicy(limit: 1, backoff: .constant(0)))
            #expect(await session.get("http://stub.test/").raw().kind == .transportFailed(.timedOut))
            #expect(stub.requests.map(\.connectionWaitTimeout) == [1.5, 1.5, 1.5, 1.5])
            #expect(
                TransportRequest(id: TransportTaskID(request: 1), method: .get, target: try #require(TargetURI("http://a/")))
                    .connectionWaitTimeout == nil)
        }
    }
#endif
