#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// The same over TLS and HTTP/2, where a lost body has another look.
    @Suite("Resumed downloads over TLS and HTTP/2", .timeLimit(.minutes(5)))
    struct ResumeSecureTests {
        private func expectFile(_ bench: ResumeBench, at url: String, _ authority: TestAuthority, protocolName: String) async throws {
            let session = authority.socketSession(
                .with {
                    $0.temporaryDirectory = bench.temporary
                    $0.timeoutIntervalForRequest = 20
                })
            bench.thenLose(after: 40_000)
            let lost = await session.download(url, to: bench.destination).end
            #expect(lost.error != nil)
            let data = try #require(lost.resumeData)
            // HTTP/2 passes on less than what the plain server sent.
            let count = try #require(data.resumeCount)
            #expect(count > 1 && count <= 40_000)
            let retrier = Retrier { context, _ in context.retryCount < 3 ? .retry : .doNotRetry }
            bench.thenLose(after: 20_000)
            let response = await session.download(resumingWith: data, to: bench.destination, interceptor: retrier).end
            #expect(response.metrics?.transactionMetrics.last?.networkProtocolName == protocolName)
            try await bench.expectFile(response)
            let starts = try bench.takeRequests(3).map { ServedFile.start($0) }
            #expect(starts[0] == nil && starts[1] == Int(count) - 1 && starts[2] ?? 0 >= Int(count) - 1)
        }

        @Test("A body lost over https is resumed", .needsTLSServer)
        func tls() async throws {
            let (authority, bench) = (try TestAuthority(), try ResumeBench())
            let front = try TLSFront(to: bench.server.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            defer { front.stop() }
            try await expectFile(bench, at: front.url("/file"), authority, protocolName: "http/1.1")
        }

        @Test("A body lost over HTTP/2 is resumed: with its stream, or with its connection", .needsHTTP2Server, arguments: [false, true])
        func http2(losesConnections: Bool) async throws {
            let (authority, bench) = (try TestAuthority(), try ResumeBench())
            let front = try HTTP2Front(
                to: bench.server.port, identity: authority.identity(addresses: ["127.0.0.1"]),
                options: .with { $0.losesConnections = losesConnections })
            defer { front.stop() }
            try await expectFile(bench, at: front.url("/file"), authority, protocolName: "h2")
        }
    }
#endif
