#if os(Linux)
    import Foundation
    import SlowLookup
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A session of TLS stands for the verification of the connection that it came with, and for no other.
    @Suite("Resumed sessions on sockets", .needsTLSServer, .timeLimit(.minutes(5)))
    struct ResumedTrustTests {
        private static let versions = [TLSFront.Version.tls12, .tls13]

        private func bench(_ version: TLSFront.Version, _ names: [String]) throws -> SecureBench {
            let bench = try SecureBench(.with { $0.maximumVersion = version }, names: names)
            bench.server.route("*") { _ in MockResponse.text("hello").closing() }
            return bench
        }

        @Test("Connections resume the session of the one before, over and over", arguments: versions)
        func resumes(version: TLSFront.Version) async throws {
            let bench = try bench(version, ["localhost"])
            defer { bench.stop() }
            for _ in 0..<4 { #expect(await bench.session.request(bench.url()).raw().text == "hello") }
            #expect(bench.front.handshakes.map(\.isResumed) == [false, true, true, true])
        }

        @Test("Another name of the same server is verified, and refused if it is not the certificate's", arguments: versions)
        func otherName(version: TLSFront.Version) async throws {
            let bench = try bench(version, ["fake-a.test", "fake-b.test"])
            defer { bench.stop() }
            for host in ["fake-a.test", "fake-b.test"] {
                #expect(await bench.session.request(bench.url(host: host)).raw().text == "hello")
            }
            let response = await bench.session.request(bench.url(host: "fake-c.test")).raw()
            #expect(response.kind == .transportFailed(.serverCertificateUntrusted), "\(response)")
            #expect(await bench.session.request(bench.url(host: "fake-a.test")).raw().text == "hello")
            #expect(bench.front.handshakes.map(\.isResumed) == [false, false, false, true])
            #expect(bench.server.requestCount == 3)
        }

        @Test("A kept connection serves no other name", arguments: versions)
        func keptConnection(version: TLSFront.Version) async throws {
            let bench = try SecureBench(.with { $0.maximumVersion = version }, names: ["fake-a.test"])
            defer { bench.stop() }
            bench.server.route("*") { _ in .text("hello") }
            #expect(await bench.session.request(bench.url(host: "fake-a.test")).raw().text == "hello")
            let response = await bench.session.request(bench.url(host: "fake-b.test")).raw()
            #expect(response.kind == .transportFailed(.serverCertificateUntrusted), "\(response)")
            #expect(bench.server.requestCount == 1)
        }

        @Test("Sessions stay in their transport, whose authorities have verified them", arguments: versions)
        func otherTransport(version: TLSFront.Version) async throws {
            let bench = try bench(version, ["localhost"])
            defer { bench.stop() }
            #expect(await bench.session.request(bench.url()).raw().text == "hello")
            let (same, stranger) = (bench.authority.socketSession(), try TestAuthority())
            let other = stranger.socketSession()
            #expect(await same.request(bench.url()).raw().text == "hello")
            let response = await other.request(bench.url()).raw()
            #expect(response.kind == .transportFailed(.serverCertificateHasUnknownRoot), "\(response)")
            #expect(bench.front.handshakes.map(\.isResumed) == [false, false, false])
            #expect(bench.server.requestCount == 2)
            withExtendedLifetime(stranger) {}
        }

        @Test("A server that has forgotten its sessions gets full handshakes", arguments: versions)
        func forgotten(version: TLSFront.Version) async throws {
            let (first, second) = (try bench(version, ["localhost"]), try bench(version, ["localhost"]))
            defer {
                first.stop()
                second.stop()
            }
            let relay = try RecordRelay(to: first.front.port)
            defer { relay.stop() }
            let file = try PEMFile([first.authority.root, second.authority.root])
            let session = Session(transport: SocketTransport(configuration: .default, places: TLSStorePlaces(file: file.url.path)))
            for front in [first.front, first.front, second.front, second.front] {
                relay.lead(to: front.port)
                #expect(await session.request("https://127.0.0.1:\(relay.port)/").raw().text == "hello")
            }
            for bench in [first, second] { #expect(bench.front.handshakes.map(\.isResumed) == [false, true]) }
        }

        /// Lets requests wait for each other, so that each needs a connection of its own.
        private final class Crowd: Sendable {
            private let size: Int
            private let arrived = Locked(0)

            init(_ size: Int) { self.size = size }

            /// Returns when a further crowd is whole, or after a long time.
            func enter() {
                let number = arrived.withLock { arrived in
                    arrived += 1
                    return arrived
                }
                let last = (number + size - 1) / size * size
                let deadline = DispatchTime.now() + 30
                while arrived.withLock({ $0 }) < last, DispatchTime.now() < deadline { usleep(1_000) }
            }
        }

        @Test("As many connections as the default limit allows at a time all resume, when as many were made before", arguments: versions)
        func crowds(version: TLSFront.Version) async throws {
            let bench = try SecureBench(.with { $0.maximumVersion = version })
            defer { bench.stop() }
            let size = SessionConfiguration.default.maximumConnectionsPerHost
            let crowd = Crowd(size)
            bench.server.route("*") { _ in
                crowd.enter()
                return MockResponse.text("hello").closing()
            }
            for wave in 0..<3 {
                let resumed = await withTaskGroup(of: Bool?.self) { group in
                    for _ in 0..<size { group.addTask { await bench.session.request(bench.url()).raw().hop?.isTLSSessionResumed } }
                    return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
                }
                // The first connections may use sessions of each other, so that fewer are left.
                if wave == 2 { #expect(resumed == [true: size]) }
            }
        }

        @Test("The chain that was verified for a session is known on the connections that resume it", arguments: versions)
        func verifiedChain(version: TLSFront.Version) async throws {
            let bench = try SecureBench(.with { $0.maximumVersion = version })
            defer { bench.stop() }
            bench.server.route("*") { _ in .text("hello") }
            let transport = bench.authority.socketTransport()
            let session = Session(transport: transport)
            let opened = try transport.open()
            let found = Journal<(isResumed: Bool, chain: [Data])>()
            for round in 1...2 {
                #expect(await session.request(bench.url()).raw().text == "hello")
                let look = PoolCommand.inspect {
                    for connection in opened.pool.object.connections.values {
                        guard let tls = (connection as? HTTP1Connection)?.wire.tls else { continue }
                        found.add((tls.isResumed, tls.verifiedChain))
                    }
                }
                opened.inbox.post(LoopMessage(pool: opened.pool, command: look))
                _ = try await found.wait(for: round)
                transport.closeIdleConnections()
            }
            #expect(found.entries.map(\.isResumed) == [false, true])
            let root = bench.authority.root.der
            #expect(found.entries.allSatisfy { $0.chain.count == 2 && $0.chain.last == root })
            withExtendedLifetime(session) {}
        }
    }
#endif
