import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

#if os(Linux)
    extension ErrorTable {
        /// Connections that are not made, or not kept.
        static let connections: [Failure] = [
            Failure("No server listens at the port") {
                let socket = try BoundSocket(listening: false)
                return await once { $0.request("http://127.0.0.1:\(socket.port)/") }.response.error
            },
            // No name of a host begins so (RFC 952), so that the answer is the same without a network.
            Failure("The host's name is not found") { await once { $0.request("http://-no-such-host.invalid/") }.response.error },
            Failure("The host's name is not looked up in time") {
                // Names that begin so take their time to be looked up.
                await once(.with { $0.connectTimeout = 0.2 }) { $0.request("http://slow-900ms-errors.test/") }.response.error
            },
            .answered("No byte of the response comes for too long", .failure(.noAnswer)) { $0.timeoutIntervalForRequest = 0.3 },
            .answered(
                "No further byte of the response comes for too long",
                MockResponse.data(Data(count: 1000)).throttled(bytes: 500, every: 30)
            ) { $0.timeoutIntervalForRequest = 1 },
            .answered("The resource timeout is exceeded", MockResponse.data(Data(count: 1000)).throttled(bytes: 1, every: 0.02)) {
                $0.timeoutIntervalForResource = 0.3
            },
            .answered("The connection is reset before a response", .failure(.resetBeforeHead)),
            .answered("The connection closes without a response", .failure(.closeBeforeHead)),
            .answered("The connection closes in the middle of a head", MockResponse.text("x").failing(.closeInHead(after: 20))),
            .answered("The connection is reset in the body", MockResponse.data(Data(count: 1000)).failing(.resetInBody(after: 100))),
            Failure("A kept connection closes under a request that may not be repeated") {
                let server = try MockServer()
                defer { server.shutdown() }
                server.enqueue(.text("kept"), .failure(.closeBeforeHead))
                let session = Session.onTest()
                _ = await session.request(server.url()).raw()
                return try await session.sending(Data("once".utf8), to: server.url()).raw().error
            },
            Failure("This machine has no network") {
                // The system connects to no multicast address.
                let session = Session(
                    transport: SocketTransport(limits: ConnectionLimits(SessionConfiguration()), network: FakeNetwork(.unreachable)))
                defer { withExtendedLifetime(session) {} }
                return await session.request("http://224.0.0.1/").raw().error
            },
            Failure("The process has no file descriptor left") {
                // `DescriptorLimitTests` really uses up all descriptors, in its own process.
                let reason = ConnectionWords.refused(EMFILE, try #require(TargetURI(url)).origin)
                let failure = TransportError.failed(.cannotConnectToHost, reason)
                let session = Session(transport: StubTransport { _ in [.fail(failure)] })
                defer { withExtendedLifetime(session) {} }
                return await session.request(url).raw().error
            },
            Failure("The server that a redirect leads to does not listen") {
                let socket = try BoundSocket(listening: false)
                let server = try MockServer()
                defer { server.shutdown() }
                server.enqueue(.redirect(to: "http://127.0.0.1:\(socket.port)/"))
                return await once { $0.request(server.url()) }.response.error
            },
            Failure("The server speaks TLS only, and the URL is http") {
                // The alert "unexpected message" (RFC 8446 section 6).
                let server = try RawServer([["\u{15}\u{03}\u{03}\u{00}\u{02}\u{02}\u{0A}"]], ending: .close)
                return await once { $0.request(server.url) }.response.error
            },
        ]

        /// A request that waits for the only connection to its host, which another one has.
        private static func waiting(_ name: String, _ change: @escaping @Sendable (inout SessionConfiguration) -> Void) -> Failure {
            Failure(name) {
                let (server, release) = (try MockServer(), DispatchSemaphore(value: 0))
                defer { server.shutdown() }
                server.route("/") { _ in
                    release.wait()
                    return .text("held")
                }
                let transport = SocketTransport(configuration: .with { $0.maximumConnectionsPerHost = 1 })
                let held = Session(transport: transport).request(server.url()).serializingData()
                defer { release.signal() }
                guard await server.waitForRequests(1) else { return nil }
                let error = await Session(configuration: .with(change), transport: transport).request(server.url()).raw().error
                held.cancel()
                return error
            }
        }

        /// What only `SocketTransport` reports.
        static let onSocketsAlone: [Failure] = [
            waiting("No connection to the host is free in time") { $0.connectionWaitTimeout = 0.3 },
            waiting("The resource timeout is exceeded while a request waits for a connection") { $0.timeoutIntervalForResource = 0.3 },
            .answered(
                "The body ends before its Content-Encoding does",
                .data(Data(CodingFixtures.gzipOfGzipOfZeros.dropLast(4)), headers: [("Content-Encoding", "gzip")])),
            .sent("The Transfer-Encoding is not known", "HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\n"),
            .sent("The server switches to another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: rot13\r\n\r\n"),
            .sent("A header line has a bare CR or a NUL", "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n"),
            .sent(
                "The connection closes in the middle of trailer fields",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nA: b"),
            .sent("A chunk does not end where its size says", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxyz\r\n"),
        ]
    }
#else
    extension ErrorTable {
        static let connections: [Failure] = []
        static let encrypted: [Failure] = []
    }
#endif

extension ErrorTable {
    private static let body = Data(count: 1000)

    /// Answers that are no whole message.
    static let answers: [Failure] = [
        .answered("The body is shorter than its Content-Length", MockResponse.data(body).failing(.bodyShorter(by: 100))),
        .answered("A chunked body has no last chunk", MockResponse.data(body).failing(.missingFinalChunk)),
        .answered("The size of a chunk is not a number", MockResponse.data(body).failing(.badChunk)),
        .answered("The response is not HTTP", .failure(.garbageStatusLine)),
        .answered("A header line has no colon", MockResponse.text("x").rawHeaderLine(Data("no colon".utf8))),
        .answered("A header field's name has white space behind it", MockResponse.text("x").rawHeaderLine(Data("X : 1".utf8))),
        .answered("Two Content-Lengths differ", MockResponse(headers: [("Content-Length", "1"), ("Content-Length", "2")], body: body)),
        .answered("The Content-Length is not a number", MockResponse(headers: [("Content-Length", "hunter2")])),
        .answered("The Content-Length is above Int64", MockResponse(headers: [("Content-Length", "9223372036854775808")])),
        .answered("Header and trailer fields are larger than allowed", MockResponse.text("x").failing(.endlessHeaders)),
        .answered("The body is not in its Content-Encoding", MockResponse.data(body).header("Content-Encoding", "gzip")),
        .answered(
            "The body has more than five content codings", MockResponse.data(body).header("Content-Encoding", "gzip,gzip,gzip,br,br,gzip")),
        .answered("The body is larger than maximumResponseBodySize", .data(body + body)) { $0.maximumResponseBodySize = 1000 },
    ]

    /// Redirects that are not followed.
    static let redirects: [Failure] = [
        .answered("There are more than 20 redirects", .redirect(to: "/again")),
        .answered("A redirect leads to what is not a URL", .redirect(to: "http://127.0.0.1:99999/")),
        .answered("A redirect leads to another scheme", .redirect(to: "ftp://127.0.0.1/")),
    ]
}
