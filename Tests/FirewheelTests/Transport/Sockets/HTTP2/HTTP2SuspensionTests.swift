#if os(Linux)
    import Firewheel
    import Foundation
    import Testing

    @testable import FirewheelTesting

    /// A small variant over HTTP/2 of `ThousandSuspensionsTests`, which `.ci/deep` runs over HTTP/2 as a whole.
    @Suite("HTTP/2 on the wire: suspensions", .needsHTTP2Server, .timeLimit(.minutes(5)))
    struct HTTP2SuspensionTests {
        private static let size = 4_000_000
        private static let suspensions = 100

        @Test("A body suspended again and again is exact and requested once, and the requests beside it go on", arguments: [true, false])
        func body(inMemory: Bool) async throws {
            let (server, other) = (try MeteredServer(size: Self.size, allowed: 1_000), try MockServer())
            defer { other.shutdown() }
            other.route("*") { .text($0.path) }
            let (front, otherFront) = (try HTTP2Front(to: server.port), try HTTP2Front(to: other.port))
            let session = Session(configuration: Self.configuration, transport: SocketTransport(configuration: Self.configuration))
            let bodies = Journal<Data?>()
            let request: Request =
                if inMemory {
                    session.request(front.url()).responseData(queue: .global()) { bodies.add($0.value) }
                } else {
                    session.download(front.url()).responseData(queue: .global()) { bodies.add($0.value) }
                }
            async let beside = others(session, otherFront.url())
            let (count, seed) = await ThousandSuspensionsTests.torment(request, server, size: Self.size, suspensions: Self.suspensions)
            let isWhole = try await bodies.wait(for: 1)[0] == pattern(Self.size)
            #expect(isWhole && count == Self.suspensions, "seed \(seed)")
            // The server counts what it has sent a moment after the client may have it.
            try await waitUntil("the whole body, seed \(seed)") { server.sent == Self.size }
            #expect(await beside == 50)
            #expect(front.visits.map(\.streams) == [1])
        }

        private static let configuration = SessionConfiguration.with { $0.httpVersions = .http2PriorKnowledge }

        /// How many of 50 requests succeed.
        private func others(_ session: Session, _ url: String) async -> Int {
            var count = 0
            for _ in 0..<50 where await session.request(url).raw().hop?.networkProtocolName == "h2" { count += 1 }
            return count
        }
    }
#endif
