#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    extension TestAuthority {
        /// A session that trusts only this authority, which has to outlive it.
        func session(_ configuration: SessionConfiguration = .with { $0.timeoutIntervalForRequest = 20 }) -> Session {
            let places = TLSStorePlaces(file: pemFile.path)
            return Session(configuration: configuration, transport: SocketTransport(configuration: configuration, places: places))
        }

        /// The response to one request on a session of its own.
        func response(_ url: String) async -> DataResponse<Data?> {
            let session = session()
            let response = await session.request(url).raw()
            withExtendedLifetime((self, session)) {}
            return response
        }
    }

    @Suite("The tests' own TLS server", .needsTLSServer, .timeLimit(.minutes(5)))
    struct TLSFrontTests {
        @Test("Bodies pass both ways, in either version of TLS", arguments: [TLSFront.Version.tls12, .tls13])
        func bodies(version: TLSFront.Version) async throws {
            let (authority, server) = (try TestAuthority(), try MockServer())
            let body = pattern(3_000_000)
            server.route("/echo") { .data($0.body) }
            let identity = try authority.identity(names: ["localhost"], intermediates: 1)
            let front = try TLSFront(to: server.port, identity: identity, options: .with { $0.maximumVersion = version })
            let session = authority.session()
            let url = front.url("/echo", host: "localhost")
            for _ in 0..<2 { #expect(try await session.sending(body, to: url).raw().content == body) }
            let handshake = try #require(front.handshakes.first)
            #expect(front.handshakes.count == 1)
            #expect(handshake.isComplete && handshake.isOpen && !handshake.isResumed)
            #expect(handshake.version == (version == .tls12 ? "TLSv1.2" : "TLSv1.3"))
            #expect(handshake.protocolName == "http/1.1")
            #expect(handshake.offeredProtocols.contains("h2"))
            #expect(handshake.serverName == "localhost")
            #expect(handshake.applicationBytes > 6_000_000)
            #expect(server.requestCount == 2)
            withExtendedLifetime((authority, session)) {}
        }

        @Test("A client that refuses the certificate leaves its alert, and the plain server hears nothing")
        func refused() async throws {
            let (authority, server) = (try TestAuthority(), try MockServer())
            let front = try TLSFront(to: server.port, identity: TestAuthority().identity(addresses: ["127.0.0.1"]))
            let response = await authority.response(front.url())
            #expect(response.kind == .transportFailed(.serverCertificateHasUnknownRoot))
            try await waitUntil("the end") { front.handshakes.first?.isOpen == false }
            #expect(front.handshakes.first?.isComplete == false)
            #expect(front.handshakes.first?.applicationBytes == 0)
            #expect(front.handshakes.first?.error?.contains("unknown ca") == true)
            #expect(server.leftovers.connections == 0)
        }

        @Test("A connection ends as asked for", arguments: [TLSFront.Ending.closeNotify, .reset])
        func endings(ending: TLSFront.Ending) async throws {
            let authority = try TestAuthority()
            let server = try RawServer([["HTTP/1.1 200 OK\r\n\r\nto the end"]], ending: .close)
            let front = try TLSFront(
                to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]), options: .with { $0.ending = ending })
            let response = await authority.response(front.url())
            if ending == .closeNotify { #expect(response.text == "to the end") } else { #expect(response.error != nil) }
        }

        @Test("A cut ends a connection at its byte", arguments: [0, 1, 3, 100, 600, 900])
        func cut(after count: Int) async throws {
            let (authority, server) = (try TestAuthority(), try MockServer())
            let front = try TLSFront(
                to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]),
                options: .with { $0.cut = .init(after: count, ending: count == 3 ? .reset : .truncated) })
            #expect(await authority.response(front.url()).error != nil)
        }

        @Test("Records in pieces of one byte, and a narrow send buffer, are only slow")
        func pieces() async throws {
            let (authority, server) = (try TestAuthority(), try MockServer())
            server.route("/") { _ in .data(pattern(20_000)) }
            let front = try TLSFront(
                to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]),
                options: .with {
                    $0.pieceSize = 1
                    $0.sendBuffer = 4_096
                })
            #expect(await authority.response(front.url()).content == pattern(20_000))
        }

        @Test("Keys are renewed in mid-body")
        func keyUpdates() async throws {
            let (authority, server) = (try TestAuthority(), try MockServer())
            server.route("/") { _ in .data(pattern(500_000)) }
            let front = try TLSFront(
                to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]), options: .with { $0.keyUpdateInterval = 10_000 })
            #expect(await authority.response(front.url()).content == pattern(500_000))
        }

        @Test("Sessions are resumed where the options allow it", arguments: [TLSFront.Resumption.none, .tickets, .sessionIDs])
        func resumption(kind: TLSFront.Resumption) async throws {
            let (authority, server) = (try TestAuthority(), try MockServer())
            server.route("/") { _ in .text("hello").closing() }
            let front = try TLSFront(
                to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]),
                options: .with { $0.resumption = kind })
            let session = authority.session()
            for _ in 0..<2 { #expect(await session.request(front.url()).raw().text == "hello") }
            #expect(front.handshakes.map(\.isResumed) == [false, kind != .none])
            withExtendedLifetime((authority, session)) {}
        }

        @Test("A client without a certificate is refused where one is asked for", arguments: [TLSFront.Version.tls12, .tls13])
        func clientCertificate(version: TLSFront.Version) async throws {
            let (authority, server) = (try TestAuthority(), try MockServer())
            let front = try TLSFront(
                to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]),
                options: .with {
                    $0.maximumVersion = version
                    $0.clientAuthorities = [authority.root]
                })
            #expect(await authority.response(front.url()).error != nil)
            #expect(front.handshakes.allSatisfy { !$0.isComplete })
            #expect(server.leftovers.connections == 0)
        }

        @Test("The selected protocol chooses the plain server")
        func protocols() async throws {
            let (authority, first, second) = (try TestAuthority(), try MockServer(), try MockServer())
            first.enqueue(.text("first"))
            second.enqueue(.text("second"))
            let front = try TLSFront(
                to: first.port, identity: authority.identity(addresses: ["127.0.0.1"]),
                options: .with { $0.ports = ["http/1.1": second.port] })
            #expect(await authority.response(front.url()).text == "second")
            let strict = try TLSFront(
                to: first.port, identity: authority.identity(addresses: ["127.0.0.1"]),
                options: .with {
                    $0.protocols = ["spdy/1"]
                    $0.selection = .required
                })
            #expect(await authority.response(strict.url()).error != nil)
            #expect(strict.handshakes.first?.isComplete == false)
        }

        @Test("Clients that vanish or do not speak TLS disturb nobody")
        func vanishing() async throws {
            let (authority, server) = (try TestAuthority(), try MockServer())
            server.enqueue(.text("hello"))
            let front = try TLSFront(to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            await onThreads(8) { number in
                guard let client = try? RawConnection(port: front.port) else { return }
                if number % 2 == 0 { client.send("GET / HTTP/1.1\r\n\r\n") }
                if number % 4 < 2 { FrontSocket.resetOnClose(client.descriptor) }
            }
            #expect(await authority.response(front.url()).text == "hello")
            try await waitUntil("the ends") { front.handshakes.count == 9 && front.handshakes[..<8].allSatisfy { !$0.isOpen } }
        }

        @Test("Stopping ends connections in any state, and nothing is left")
        func stop() async throws {
            let (authority, server) = (try TestAuthority(), try HandServer())
            let front = try TLSFront(to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            let idle = try RawConnection(port: front.port)
            let session = authority.session()
            async let response = session.request(front.url()).raw()
            await onThreads(1) { _ in _ = try? server.accept() }
            front.stop()
            front.stop()
            #expect(await response.error != nil)
            #expect(idle.readToEnd().end != .open)
            #expect(front.handshakes.allSatisfy { !$0.isOpen })
            withExtendedLifetime((authority, session)) {}
        }
    }
#endif
