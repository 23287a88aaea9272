#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// https on SocketTransport.
    @Suite("https on sockets", .needsTLSServer, .timeLimit(.minutes(5)))
    struct SecureOnWireTests {
        /// A server behind TLS, and a session that trusts it.
        private struct Bench {
            let server: MockServer
            let front: TLSFront
            let session: Session

            init(_ options: TLSFront.Options = .init(), names: [String] = ["localhost"]) throws {
                let authority = try TestAuthority()
                server = try MockServer()
                front = try TLSFront(
                    to: server.port, identity: authority.identity(names: names, addresses: ["127.0.0.1"]), options: options)
                session = Session(
                    transport: SocketTransport(configuration: .default, places: TLSStorePlaces(file: authority.pemFile.path)))
                // The store is read when the first handshake begins.
                self.authority = authority
            }

            private let authority: TestAuthority

            func url(_ path: String = "/") -> String { "https://localhost:\(front.port)\(path)" }

            func stop() {
                front.stop()
                server.shutdown()
            }
        }

        @Test("Requests share a connection, whose handshake is in the metrics of the first", arguments: [TLSFront.Version.tls12, .tls13])
        func sharing(version: TLSFront.Version) async throws {
            let bench = try Bench(.with { $0.maximumVersion = version })
            defer { bench.stop() }
            bench.server.route("*") { .text("hello \($0.bodyText)") }
            for number in 0..<5 {
                let request = try URLRequest.upload(Data("\(number)".utf8), to: bench.url(), method: .post)
                let response = await bench.session.request(request).raw()
                #expect(response.text == "hello \(number)", "\(response)")
                let hop = try #require(response.hop)
                #expect(hop.isReusedConnection == (number > 0))
                #expect((hop.secureConnectionStartDate == nil) == (number > 0))
                #expect(hop.negotiatedTLSProtocolVersion == (version == .tls13 ? "TLSv1.3" : "TLSv1.2"))
                #expect(hop.networkProtocolName == "http/1.1")
            }
            #expect(bench.front.handshakes.map(\.isComplete) == [true])
            #expect(bench.front.handshakes.first?.serverName == "localhost")
        }

        @Test("Without OpenSSL https is an error that names library and package, and http goes on", arguments: ["ssl", "crypto"])
        func noLibrary(missing: String) async throws {
            let bench = try Bench()
            defer { bench.stop() }
            bench.server.route("*") { _ in .text("hello") }
            let transport = SocketTransport(
                limits: ConnectionLimits(.default),
                loadTLS: {
                    missing == "ssl" ? TLSLibrary.load(ssl: "libnothing.so.3") : TLSLibrary.load(crypto: "libnothing.so.3")
                })
            let session = Session(transport: transport)
            for _ in 0..<2 {
                let response = await session.request(bench.url()).raw()
                #expect(response.kind == .transportFailed(.secureConnectionFailed), "\(response)")
                let library = missing == "ssl" ? "libnothing.so.3" : "libssl.so.3"
                let words = ": https needs OpenSSL 3: \(library) (package libssl3) could not be loaded: "
                #expect(response.words.contains(words) && response.words.contains("libnothing.so.3"), "\(response.words)")
                #expect(await session.request(bench.server.url()).raw().text == "hello")
            }
            #expect(bench.server.requestCount == 2)
            #expect(bench.front.handshakes.allSatisfy { !$0.isComplete })
        }

        @Test("A server that answers no handshake holds up the next request to it for a second, and not for the whole timeout")
        func stalledHandshake() async throws {
            var seconds: TimeInterval = 0
            // Again where a busy machine has taken the first connection in late.
            for _ in 0..<5 where seconds <= 0.5 { seconds = try await Self.timeBetweenConnections() }
            #expect(seconds > 0.5 && seconds < 10)
        }

        /// The seconds between the connections of two requests to a server that answers no handshake.
        private static func timeBetweenConnections() async throws -> TimeInterval {
            let server = try HandServer()
            let session = Session(transport: SocketTransport())
            let requests = (0..<2).map { _ in
                session.request("https://127.0.0.1:\(server.port)/").response(queue: .global()) { _ in }
            }
            let times = Journal<MonotonicInstant>()
            await onThreads(1) { _ in
                do {
                    for _ in 0..<2 {
                        _ = try server.acceptConnection()
                        times.add(.now())
                    }
                } catch {
                    Issue.record(error)
                }
            }
            for request in requests { request.cancel() }
            withExtendedLifetime(session) {}
            return times.entries.count == 2 ? times.entries[1].seconds(since: times.entries[0]) : .infinity
        }

        @Test("100 requests over HTTP/2 share one connection, which the first one opens", .needsHTTP2Server)
        func multiplexing() async throws {
            let authority = try TestAuthority()
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { .text("hello \($0.bodyText)") }
            var visits = 0
            for _ in 0..<5 {
                let start = MonotonicInstant.now()
                visits = try await Self.visits(of: 100, to: server, authority)
                // On a busy machine the handshake may take a second, for which the others do not wait.
                if visits == 1 || MonotonicInstant.now().seconds(since: start) < 0.9 { break }
            }
            #expect(visits == 1)
            withExtendedLifetime(authority) {}
        }

        /// How many connections a number of requests over HTTP/2 make.
        private static func visits(of count: Int, to server: MockServer, _ authority: TestAuthority) async throws -> Int {
            let front = try HTTP2Front(to: server.port, identity: authority.identity(names: ["localhost"]))
            defer { front.stop() }
            let session = Session(
                transport: SocketTransport(configuration: .default, places: TLSStorePlaces(file: authority.pemFile.path)))
            let url = "https://localhost:\(front.port)/"
            let protocols = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<count {
                    let request = try URLRequest.upload(Data("\(number)".utf8), to: url, method: .post)
                    group.addTask {
                        let response = await session.request(request).raw()
                        #expect(response.text == "hello \(number)", "\(response)")
                        return response.hop?.networkProtocolName
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(protocols == ["h2"])
            withExtendedLifetime(session) {}
            return front.visits.count
        }

        @Test("New keys right behind a response do not keep its connection from being used again (RFC 8446 section 4.6.3)")
        func keysBehindResponse() async throws {
            let bench = try Bench(.with { $0.keyUpdateInterval = 1 })
            defer { bench.stop() }
            let body = pattern(100_000)
            bench.server.route("*") { _ in .data(body) }
            for number in 0..<5 {
                let response = await bench.session.request(bench.url()).raw()
                #expect(response.data == body)
                #expect(response.hop?.isReusedConnection == (number > 0))
            }
        }

        @Test("Bodies of 20 MB arrive exactly, in both directions")
        func large() async throws {
            let bench = try Bench()
            defer { bench.stop() }
            let body = pattern(20_000_000)
            bench.server.route("/get") { _ in .data(body) }
            bench.server.route("/put") { .text("\($0.body == body)") }
            #expect(await bench.session.request(bench.url("/get")).raw().data == body)
            let put = try URLRequest.upload(body, to: bench.url("/put"), method: .put)
            #expect(await bench.session.request(put).raw().text == "true")
        }
    }
#endif
