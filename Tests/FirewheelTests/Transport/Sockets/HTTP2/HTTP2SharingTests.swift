#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Many requests over the connections of a complete server.
    @Suite("HTTP/2 on the wire: many requests", .needsHTTP2Server, .timeLimit(.minutes(5)))
    struct HTTP2SharingTests {
        /// Lets 256 requests run, and returns their front after the transport has closed all connections.
        private static func requests(_ count: Int, limit: UInt32) async throws -> [HTTP2Front.Visit] {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("/*") { .text($0.path) }
            let front = try HTTP2Front(to: server.port, options: .with { $0.maximumStreams = limit })
            let bench = HTTP2WireBench()
            await onThreads(1) { _ in
                do {
                    let ids = try (0..<count).map { try bench.start(front.url("/\($0)")) }
                    for (number, id) in ids.enumerated() { #expect(try bench.text(of: id) == "/\(number)") }
                } catch {
                    Issue.record(error)
                }
            }
            bench.release()
            #expect(await eventually { front.visits.allSatisfy { !$0.isOpen } }, "a connection was left open")
            #expect(bench.recorder.violations == [])
            return front.visits
        }

        @Test("100 requests share one connection")
        func one() async throws {
            let visits = try await Self.requests(100, limit: 100)
            #expect(visits.map(\.streams) == [100])
        }

        @Test("256 requests all succeed over as many connections as their server's limit asks for", arguments: [4, 100])
        func many(limit: Int) async throws {
            let visits = try await Self.requests(256, limit: UInt32(limit))
            #expect(visits.count <= SessionConfiguration.default.maximumConnectionsPerHost)
            #expect(visits.allSatisfy { $0.mostOpen <= limit })
            if limit == 100 { #expect(visits.count <= 3) }
        }

        @Test("A body of many windows passes both ways, and a session speaks the versions of its configuration")
        func bodies() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("/echo") { .data($0.body) }
            let front = try HTTP2Front(to: server.port)
            let configuration = SessionConfiguration.with { $0.httpVersions = .http2PriorKnowledge }
            let session = Session(configuration: configuration, transport: SocketTransport(configuration: configuration))
            let body = pattern(5_000_000)
            let response = try await session.sending(body, to: front.url("/echo")).raw()
            #expect(response.content == body && response.hop?.networkProtocolName == "h2")
            #expect(front.visits.map(\.streams) == [1])
            let plain = Session(transport: SocketTransport())
            #expect(try await plain.sending(body, to: server.url("/echo")).raw().hop?.networkProtocolName == "http/1.1")
            withExtendedLifetime((session, plain)) {}
        }
    }

    /// Passes requests on to a transport with prior knowledge, each to a front of the server that it is for.
    final class MultiplexedTransport: Transport {
        private let transport: SocketTransport
        private let options: HTTP2Front.Options
        private let fronts = Locked<[Int: HTTP2Front]>([:])
        /// Keeps the fronts until the transport's pool has closed its connections.
        private let opened: SocketTransport.Opened?

        init(_ options: HTTP2Front.Options = .init()) {
            self.options = options
            transport = SocketTransport(configuration: .with { $0.httpVersions = .http2PriorKnowledge })
            opened = try? transport.open()
        }

        deinit {
            let fronts = fronts.withLock { $0 }
            guard let opened else { return }
            // The transport's own comes behind these, and ends nothing more.
            opened.inbox.post(LoopMessage(pool: opened.pool, command: .close))
            let command = PoolCommand.inspect { DispatchQueue.global().async { for front in fronts.values { front.stop() } } }
            opened.inbox.post(LoopMessage(pool: opened.pool, command: command))
        }

        func start(_ request: TransportRequest, receiver: any TransportReceiver) {
            let origin = request.target.origin
            let front = fronts.withLock { fronts -> HTTP2Front? in
                guard !FrontSocket.isFree(origin.port) else { return nil }
                if fronts[origin.port] == nil { fronts[origin.port] = try? HTTP2Front(to: origin.port, options: options) }
                return fronts[origin.port]
            }
            guard let front, let target = TargetURI(request.target.string.replacing(":\(origin.port)", with: ":\(front.port)")) else {
                return transport.start(request, receiver: receiver)
            }
            var request = request
            request.target = target
            // What the plain server sees is what it would see without the front.
            if !request.headers.contains(where: { $0.name.lowercased() == "host" }) {
                request.headers.add(name: "Host", value: ConnectionWords.address(origin))
            }
            transport.start(request, receiver: receiver)
        }

        func cancel(_ id: TransportTaskID) { transport.cancel(id) }
        func pause(_ id: TransportTaskID) { transport.pause(id) }
        func resume(_ id: TransportTaskID) { transport.resume(id) }
        func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) { transport.proceed(id, body) }
        func acknowledge(_ id: TransportTaskID, bytes: Int) { transport.acknowledge(id, bytes: bytes) }
        func closeIdleConnections() { transport.closeIdleConnections() }
    }

    @Suite("Conformance over HTTP/2", .needsHTTP2Server, .timeLimit(.minutes(5)))
    struct HTTP2ConformanceTests {
        /// Cases that cannot be with the front between.
        private static let notRun: Set<String> = [
            // The version, the case of names, and fields that HTTP/2 does not have.
            "The HTTP version is that of the status line", "Response fields keep their order, case and repetition",
            "Counted values are correct where they are known", "Trailer fields of a request are sent behind its chunks",
            "Trailer fields that trailers may not have are dropped",
            // The front has no IPv6 address.
            "An IPv6 address is accepted as a host",
            // The front uses a connection to the server for each stream, and these count the server's connections.
            "A connection is reused", "After a short discarded body the connection is usable",
            "A stream of unknown length is sent in chunks",
        ]
        /// Cases whose server loses the connection. The front ends the client's for it, instead of the stream.
        private static let losing: Set<String> = [
            "A connection lost before the response is networkConnectionLost",
            "A connection lost in the body is networkConnectionLost, and the received bytes are kept",
            "A chunked body that is cut short is networkConnectionLost", "A failed request has metrics too",
            "A reader is closed once when the connection is lost", "A reset while the request body is sent is a failure, not a crash",
            "A faulty body behind a held head fails only once it is wanted",
            "A response cut short while the body is sent is a failure", "A request without allowsResend is not sent again",
            "Sent bytes begin anew when a request is sent again",
            "A request with allowsResend is sent again when its reused connection is dead",
            "A body that can be repeated is sent again when its reused connection is dead",
            "A body that cannot be repeated, or whose request must not be, is not sent again",
        ]
        /// Cases that move 48 MiB a few times, or 200,000 frames.
        private static let large: Set<String> = [
            "Without acknowledgements a transport stops reading", "A stream is asked for no more than the server reads",
            "A paused request stops reading from the server, and continues where it stopped",
            "A request paused before an acknowledgement stays paused until it is resumed",
            "A paused request takes nothing from its stream, and continues where it stopped",
            "Many small pieces, answered before read returns, do not nest", "A long body is sent while the response is read",
        ]
        private static let all = TransportConformance.cases + TransportConformance.featureCases
        private static let excluded = TestDepth.choose(notRun.union(large), deep: notRun).union(losing)

        private static let included = all.filter { !excluded.contains($0.name) }

        @Test("The transport on sockets conforms", arguments: included.filter { !$0.waits })
        @Sendable func conforms(_ rule: TransportConformance.Case) async throws {
            try await rule.run(within: 240) { MultiplexedTransport() }
        }

        @Test("The transport on sockets conforms where a case waits")
        func waiting() async throws { try await atOnce(Self.included.filter(\.waits), conforms) }

        @Test("The transport on sockets conforms where the server loses the connection", arguments: all.filter { losing.contains($0.name) })
        func conformsToLosses(_ rule: TransportConformance.Case) async throws {
            try await rule.run(within: 240) { MultiplexedTransport(.with { $0.losesConnections = true }) }
        }

        @Test("The cases that are named exist")
        func exceptions() { #expect(Self.notRun.union(Self.large).union(Self.losing).isSubset(of: Self.all.map(\.name))) }
    }
#endif
