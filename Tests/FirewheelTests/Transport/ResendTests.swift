import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// A connection that the server closes while idle, or just when the next request comes.
@Suite("Requests on a broken connection", .eachTransport, .timeLimit(.minutes(5)))
struct ResendTests {
    /// A server with one warm connection to a session.
    private func warm(_ body: (MockServer, Session) async throws -> Void) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("warm"))
        // A 100 (Continue) would show that the connection is alive.
        let session = Session.onTest(
            configuration: .with {
                $0.timeoutIntervalForRequest = 20
                $0.expectsContinue = .never
            })
        #expect(await session.request(server.url()).raw().text == "warm")
        _ = try await server.takeRequest()
        try await body(server, session)
    }

    @Test(
        "A POST or PATCH that was read and not answered is not sent again (RFC 9110 section 9.2.2)",
        arguments: [HTTPMethod.post, .patch, HTTPMethod(rawValue: "PURGE")], [MockFault.closeBeforeHead, .resetBeforeHead])
    func notRepeated(method: HTTPMethod, fault: MockFault) async throws {
        try await warm { server, session in
            server.enqueue(.failure(fault), .text("second"))
            let response = try await session.sending(Data("once".utf8), to: server.url("/pay"), method: method).raw()
            #expect(response.kind == .transportFailed(.networkConnectionLost))
            let request = try await server.takeRequest()
            #expect((request.method, request.bodyText) == (method.rawValue, "once"))
            #expect((request.connectionNumber, request.sequenceNumber) == (0, 1))
            // The next request comes on a new connection and is the next one that the server sees.
            #expect(await session.request(server.url("/after")).raw().text == "second")
            #expect(try await server.takeRequest().path == "/after")
            #expect(server.requestCount == 3)
        }
    }

    @Test("A POST on a broken connection is not repeated, whether it has no body or one of 5 MB")
    func notRepeatedSizes() async throws {
        for body in [nil, Data(), pattern(5_000_000)] {
            try await warm { server, session in
                server.enqueue(.failure(.closeBeforeHead), .text("second"))
                let response = try await session.sending(body, to: server.url()).raw()
                #expect(response.kind == .transportFailed(.networkConnectionLost))
                #expect(server.requestCount == 2)
            }
        }
    }

    @Test(
        "An idempotent request on a broken connection is repeated on a new one, and succeeds",
        arguments: [HTTPMethod.get, .head, .options, .delete], [MockFault.closeBeforeHead, .resetBeforeHead])
    func repeated(method: HTTPMethod, fault: MockFault) async throws {
        try await warm { server, session in
            server.enqueue(.failure(fault), .text("second"))
            let response = await session.request(server.url("/x"), method: method).raw()
            #expect(response.kind == nil)
            #expect(response.statusCode == 200)
            let requests = try await server.takeRequests(2)
            #expect(requests.map(\.method) == [method.rawValue, method.rawValue])
            #expect(requests.map(\.connectionNumber) == [0, 1])
        }
    }

    @Test("A PUT on a broken connection is repeated with its whole body", arguments: [0, 1, 100_000, 3_000_000])
    func repeatedBody(size: Int) async throws {
        try await warm { server, session in
            server.enqueue(.failure(.closeBeforeHead), .text("second"))
            let body = pattern(size)
            let response = try await session.sending(body, to: server.url(), method: .put).raw()
            #expect(response.text == "second")
            let requests = try await server.takeRequests(2)
            #expect(requests.allSatisfy { $0.body == body })
        }
    }

    @Test("A request that fails on a new connection is not repeated", arguments: [HTTPMethod.get, .post])
    func fresh(method: HTTPMethod) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.failure(.closeBeforeHead), .text("second"))
        let response = await once { $0.request(server.url(), method: method) }.response
        #expect(response.kind == .transportFailed(.networkConnectionLost))
        #expect(server.requestCount == 1)
    }

    @Test("A request is not repeated after the first byte of its response", arguments: [HTTPMethod.get, .post])
    func afterFirstByte(method: HTTPMethod) async throws {
        try await warm { server, session in
            server.enqueue(MockResponse.text("0123456789").failing(.resetInBody(after: 4)), .text("second"))
            let response = await session.request(server.url(), method: method).raw()
            #expect(response.kind == .transportFailed(.networkConnectionLost))
            #expect(server.requestCount == 2)
        }
    }

    @Test("A connection closed while idle is noticed, and a POST is sent on a new one")
    func closedWhileIdle() async throws {
        try await warm { server, session in
            for round in 0..<10 {
                server.closeIdleConnections()
                #expect(await server.waitForOpenConnections(0))
                server.enqueue(.text("\(round)"))
                let response = try await session.sending(Data("x".utf8), to: server.url()).raw()
                #expect(response.text == "\(round)")
            }
            #expect(server.requestCount == 11)
        }
    }

    @Test("An idempotent request is repeated each time its kept connection breaks")
    func repeatedOften() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session.onTest(configuration: .with { $0.maximumConnectionsPerHost = 1 })
        for round in 0..<20 {
            server.enqueue(.text("kept"), .failure(.closeBeforeHead), .text("again"))
            #expect(await session.request(server.url()).raw().text == "kept")
            let response = await session.request(server.url()).raw()
            #expect(response.text == "again", "\(round): \(String(describing: response.error))")
        }
    }

    @Test("A server that silently closes after every response loses no idempotent request")
    func closesAfterResponse() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in MockResponse.text("x").failing(.closeAfterResponse) }
        let session = Session.onTest()
        for _ in 0..<50 {
            let response = await session.request(server.url()).raw()
            #expect(response.text == "x", "\(String(describing: response.error))")
        }
    }
}
