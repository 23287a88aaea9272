import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Event sources on the trip of other requests: credentials, interceptors, redirects, suspensions, content codings.
@Suite(.eachTransport, .timeLimit(.minutes(5)))
struct EventSourceTripTests {
    // MARK: Credentials

    /// The URL of a server with user name and password.
    private func url(_ server: MockServer, user: String, password: String) -> String {
        server.url("/").replacing("//", with: "//\(user):\(password)@", maxReplacements: 1)
    }

    @Test func basicCredentialsOfTheURL() async throws {
        let bench = try EventBench()
        let stream = Locked(["data: 1\n\n", "data: 2\n\n"])
        bench.server.route("/") { request in
            guard request.header("Authorization") == "Basic " + Data("me:secret".utf8).base64EncodedString() else {
                return .text("no", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
            }
            return stream.withLock { $0.isEmpty ? .status(204) : .events($0.removeFirst()) }
        }
        #expect(try await bench.source(url: url(bench.server, user: "me", password: "secret")).all().map(\.data) == ["1", "2"])
        // They are sent without a challenge.
        #expect(bench.server.requestCount == 3 && bench.delays.count == 2)
    }

    @Test func digestCredentialsOfTheSession() async throws {
        let bench = try EventBench()
        let digest = DigestServer(users: ["me": "secret"], .init())
        let bodies = Locked<[Data]>([])
        bench.server.route("/", method: "POST") { request in
            digest.answer(request) { request in
                let count = bodies.withLock { bodies in
                    bodies.append(request.body)
                    return bodies.count
                }
                return count > 2 ? .status(204) : .lost("id: \(count)\ndata: x\n\n")
            }
        }
        bench.server.route("/login") { request in digest.answer(request) { _ in .text("in") } }
        _ = await bench.session.request(bench.server.url("/login")).authenticate(username: "me", password: "secret").raw()
        let source = bench.source(method: .post, body: Data("ask".utf8))
        #expect(try await source.all().map(\.id) == ["1", "2"])
        #expect(bodies.withLock { $0 } == Array(repeating: Data("ask".utf8), count: 3))
        #expect(digest.counts.accepted == 4 && digest.counts.refused == 1 && digest.counts.malformed == [])
    }

    @Test(arguments: [EventSource.Reconnection.resilient, .standard])
    func wrongCredentialsAreFinal(reconnection: EventSource.Reconnection) async throws {
        let bench = try EventBench()
        bench.server.route("/") { _ in .text("no", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")]) }
        let error = await #expect(throws: FirewheelError.self) {
            try await bench.source(url: url(bench.server, user: "me", password: "wrong"), reconnection: reconnection).all()
        }
        #expect(error?.kind == .responseValidationFailed(.unacceptableStatusCode(401)))
        #expect(bench.server.requestCount == 1 && bench.delays == [])
        #expect(!"\(error as Any)".contains("wrong"))
    }

    // MARK: Interceptors

    private struct Token: AuthenticationCredential {
        var number: Int
        var requiresRefresh = false
    }

    private struct Numbering: Authenticator {
        var onRefresh: @Sendable () throws -> Void = {}

        func apply(_ credential: Token, to urlRequest: inout URLRequest) {
            urlRequest.headers.update(.authorization(bearerToken: "\(credential.number)"))
        }

        func refresh(_ credential: Token, for request: RequestContext) async throws -> Token {
            try onRefresh()
            return Token(number: credential.number + 1)
        }

        func didRequest(
            _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
        ) -> Bool { response.statusCode == 401 }

        func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Token) -> Bool {
            urlRequest.headers["Authorization"] == "Bearer \(credential.number)"
        }
    }

    /// The server accepts each token for one connection.
    @Test func tokensAreRefreshedBetweenConnections() async throws {
        let bench = try EventBench()
        let accepted = Locked(2)
        bench.server.route("/") { request in
            accepted.withLock { accepted in
                guard request.header("Authorization") == "Bearer \(accepted)" else { return .text("no", status: 401) }
                accepted += 1
                return accepted == 5 ? .status(204) : .events("id: \(accepted)\ndata: x\n\n")
            }
        }
        let source = bench.source(interceptor: AuthenticationInterceptor(authenticator: Numbering(), credential: Token(number: 1)))
        #expect(try await source.all().map(\.id) == ["3", "4"])
        let requests = try await bench.server.takeRequests(6)
        #expect(requests.map { $0.header("Authorization") } == [1, 2, 2, 3, 3, 4].map { "Bearer \($0)" })
        #expect(requests.map { $0.header("Last-Event-ID") } == [nil, nil, "3", "3", "4", "4"])
        // The refresh is no failed connection.
        #expect(bench.delays.count == 2)
    }

    @Test func anAdapterSeesEachConnection() async throws {
        let bench = try EventBench()
        bench.respond(.events("data: 1\n\n"), .events("data: 2\n\n"))
        let number = Locked(0)
        let adapter = Adapter { request, _ in
            let count = number.withLock { number in
                number += 1
                return number
            }
            request.headers.update(name: "Number", value: "\(count)")
        }
        _ = try await bench.source(interceptor: adapter).all()
        #expect(try await bench.server.takeRequests(3).map { $0.header("Number") } == ["1", "2", "3"])
    }

    /// The policy's attempts are one connection for the source.
    @Test func aRetryPolicyComesBeforeTheReconnection() async throws {
        let bench = try EventBench()
        bench.server.enqueue(
            .status(503), .failure(.resetBeforeHead), .status(503), .status(503), .events("id: 1\ndata: x\n\n"), .lost("data: y\n\n"),
            .status(204))
        let policy = RetryPolicy(limit: 2, backoff: .constant(0))
        #expect(try await bench.source(interceptor: policy).all().map(\.data) == ["x", "y"])
        #expect(bench.server.requestCount == 7)
        // After three attempts, after the first stream, and after the lost one, of which nothing is retried.
        #expect(bench.delays.count == 3)
    }

    /// A network error of an adapter's or a refresh's own is one of the connection (`Authenticator.refresh`).
    @Test("A network error of an adapter or a refresh is temporary", arguments: ["adapter", "refresh before", "refresh after a 401"])
    func networkErrorsOfInterceptors(of origin: String) async throws {
        let (bench, calls) = (try EventBench(), Locked(0))
        let fail: @Sendable () throws -> Void = {
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            if isFirst { throw URLError(.networkConnectionLost) }
        }
        bench.server.route("/") { request in
            if origin == "refresh after a 401", request.header("Authorization") != "Bearer 2" { return .text("no", status: 401) }
            return calls.withLock { $0 } > 2 || request.header("Last-Event-ID") != nil ? .status(204) : .events("id: 1\ndata: x\n\n")
        }
        let token = Token(number: 1, requiresRefresh: origin == "refresh before")
        let authentication = AuthenticationInterceptor(authenticator: Numbering(onRefresh: fail), credential: token)
        let source =
            origin == "adapter"
            ? bench.source(interceptor: Adapter { _, _ in try fail() })
            // The failure of a refresh is remembered for a second, which has passed after the delay.
            : bench.source(interceptor: authentication, sleep: { authentication.credential = token })
        #expect(try await source.all().map(\.id) == ["1"])
        #expect(bench.delays == [3, 3])
    }

    /// Retries once told to.
    private struct HeldRetrier: RequestInterceptor {
        let isAsked = Latch()
        let goesOn = Latch()

        func retry(_ context: RequestContext, dueTo error: any Error) async -> RetryResult {
            guard context.retryCount == 0 else { return .doNotRetry }
            isAsked.open()
            await goesOn.wait()
            return .retry
        }
    }

    /// The connection is lost before its first byte, so the request may be retried.
    @Test("While an interceptor retries there is no open connection, and the next attempt is a failure of its own")
    func retriedAfterTheHead() async throws {
        let (bench, isOpen, retrier) = (try EventBench(), DispatchSemaphore(value: 0), HeldRetrier())
        let attempts = Locked(0)
        bench.server.exchange("/") { exchange in
            let isFirst = attempts.withLock { attempts in
                attempts += 1
                return attempts == 1
            }
            guard isFirst else { return try exchange.send(.failure(.closeBeforeHead)) }
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
            isOpen.wait()
            throw CancellationError()
        }
        let source = bench.source(reconnection: .resilient(limit: 0), interceptor: retrier)
        let opens = Journal<Int>()
        source.onOpen(queue: .global()) { opens.add($0.statusCode) }
        let events = Task { try await source.all() }
        #expect(await source.isOpen())
        // The handler is called a moment after that.
        _ = try await opens.wait(for: 1)
        isOpen.signal()
        await retrier.isAsked.wait()
        #expect(source.state == .connecting)
        let late = DispatchQueue(label: "late")
        source.onOpen(queue: late) { _ in Issue.record("the connection is not open") }
        late.sync {}
        retrier.goesOn.open()
        let error = await #expect(throws: FirewheelError.self) { try await events.value }
        #expect(error?.urlErrorCode == .networkConnectionLost)
        #expect(bench.delays == [] && opens.entries == [200])
    }

    // MARK: Redirects

    /// A POST becomes a GET without a body where browsers do that (Fetch, HTTP-redirect fetch), and the next connection is a POST again.
    @Test(arguments: [301, 302, 303, 307, 308])
    func methodAndBodyAfterARedirect(status: Int) async throws {
        let bench = try EventBench()
        bench.server.enqueue(
            .redirect(to: "/moved", status: status), .events("id: 1\ndata: x\n\n"), .redirect(to: "/moved", status: status), .status(204))
        #expect(try await bench.source(method: .post, body: Data("ask".utf8)).all().count == 1)
        let requests = try await bench.server.takeRequests(4)
        #expect(requests.map(\.path) == ["/", "/moved", "/", "/moved"])
        let (method, body) = status > 303 ? ("POST", "ask") : ("GET", "")
        #expect(requests.map(\.method) == ["POST", method, "POST", method])
        #expect(requests.map(\.bodyText) == ["ask", body, "ask", body])
        #expect(requests.map { $0.header("Last-Event-ID") } == [nil, nil, "1", "1"])
        #expect(requests.allSatisfy { $0.header("Accept") == "text/event-stream" })
    }

    @Test func secretsStayAtTheOrigin() async throws {
        let (bench, other) = (try EventBench(), try MockServer())
        bench.server.route("/") { _ in .redirect(to: other.url("/feed"), status: 307) }
        other.enqueue(.events("id: 1\ndata: x\n\n"), .status(204))
        let source = bench.source(headers: ["Authorization": "Bearer secret", "Cookie": "a=secret", "X-Feed": "news"])
        #expect(try await source.all().count == 1)
        let requests = try await other.takeRequests(2)
        for request in requests {
            #expect(request.headerValues("Authorization") == [] && request.headerValues("Cookie") == [])
            #expect(request.header("X-Feed") == "news")
        }
        #expect(requests.map { $0.header("Last-Event-ID") } == [nil, "1"])
        // The source's own server gets them with each connection.
        #expect(try await bench.server.takeRequests(2).map { $0.header("Authorization") } == ["Bearer secret", "Bearer secret"])
    }

    @Test(arguments: [EventSource.Reconnection.resilient, .standard])
    func aLoopOfRedirectsIsFinal(reconnection: EventSource.Reconnection) async throws {
        let bench = try EventBench()
        bench.server.route("/") { _ in .redirect(to: "/") }
        let error = await #expect(throws: FirewheelError.self) { try await bench.source(reconnection: reconnection).all() }
        #expect(error?.kind == .transportFailed(.httpTooManyRedirects))
        #expect(bench.delays == [])
    }

    // MARK: Suspensions

    @Test(arguments: [true, false])
    func nothingIsDeliveredDuringASuspension(withHandler: Bool) async throws {
        let bench = try EventBench()
        let (suspended, ended) = (DispatchSemaphore(value: 0), OneShot<Bool>())
        bench.server.exchange("/") { exchange in
            guard exchange.request.header("Last-Event-ID") == nil else { return try exchange.send(.status(204)) }
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
            try exchange.sendChunk(Data("id: 1\ndata: 1\n\n".utf8))
            suspended.wait()
            try exchange.sendChunk(Data("id: 2\ndata: 2\n\n".utf8))
            try exchange.endChunks()
        }
        defer { suspended.signal() }
        let (source, received) = (bench.source(), Journal<String>())
        if withHandler {
            source.onEvent(queue: .global()) { received.add($0.data) }.onClose(queue: .global()) { _ in ended.fulfill(true) }
        } else {
            Task {
                for try await event in source { received.add(event.data) }
                ended.fulfill(true)
            }
        }
        #expect(try await received.wait(for: 1) == ["1"])
        await bench.each { $0.suspend() }
        suspended.signal()
        // Another request makes the round trip meanwhile.
        bench.server.route("/other") { _ in .text("x") }
        for _ in 0..<3 { _ = await bench.session.request(bench.server.url("/other")).raw() }
        #expect(received.entries == ["1"] && source.state == .open)
        await bench.each { $0.resume() }
        _ = await ended.value
        #expect(received.entries == ["1", "2"])
    }

    @Test func closingDuringASuspension() async throws {
        let bench = try EventBench()
        let (connections, gone) = (Locked(0), OneShot<Bool>())
        bench.server.exchange("/") { exchange in
            connections.withLock { $0 += 1 }
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
            exchange.waitForDisconnection()
            gone.fulfill(true)
        }
        let source = bench.source()
        async let events = source.all()
        #expect(await source.isOpen())
        await bench.each { $0.suspend() }
        source.close()
        #expect(try await events == [])
        _ = await gone.value
        #expect(connections.withLock { $0 } == 1)
    }

    // MARK: Content codings

    /// Two events in gzip with a flush between them (RFC 1952; Z_SYNC_FLUSH of zlib).
    @Test func anEventArrivesWhenItsPartOfTheCodingDoes() async throws {
        let first: [UInt8] = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0x4a, 0x49, 0x2c, 0x49, 0xb4, 0x52, 0x48, 0xcb, 0x2c, 0x2a, 0x2e, 0xe1, 0xe2, 2, 0, 0, 0,
            0xff,
            0xff,
        ]
        let second: [UInt8] = [
            0x4b, 1, 0x73, 0x8a, 0x53, 0x93, 0xf3, 0xf3, 0x52, 0xb8, 0xb8, 0, 0x68, 0xbe, 0x96, 0x5a, 0x1b, 0, 0, 0,
        ]
        let (bench, seen) = (try EventBench(), DispatchSemaphore(value: 0))
        defer { seen.signal() }
        bench.server.exchange("/") { exchange in
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip")])
            try exchange.sendChunk(Data(first))
            seen.wait()
            try exchange.sendChunk(Data(second))
            try exchange.endChunks()
        }
        var received: [String] = []
        for try await event in bench.source(reconnection: .never) {
            received.append(event.data)
            seen.signal()
        }
        #expect(received == ["first", "second"])
    }
}
