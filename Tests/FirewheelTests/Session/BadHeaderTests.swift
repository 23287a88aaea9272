import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// CR, LF and NUL in header fields, by every route into a request, because URLSession on Linux sends some of them unescaped (RFC 9110
/// section 5.5).
@Suite("Header field injection", .timeLimit(.minutes(5)))
struct BadHeaderTests {
    static let badValues = [
        "a\r\nX-Injected: 1", "a\nX-Injected: 1", "a\rX-Injected: 1", "a\u{0}b", "\r\n", "a\n",
        "a\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n",
    ]
    static let badNames = ["X-A\r\nX-Injected", "X-A\n", "X A", "X-A:", "", "X-Ä", "X-A\u{0}", "\r\nX-Injected", "GET / HTTP/1.1\r\nX"]

    typealias Make = @Sendable (_ session: Session, _ url: String, _ header: HTTPHeader) throws -> DataRequest

    /// The routes that take a whole field. Each must refuse it, or omit it as Foundation's `setValue` does.
    static let routes: [(String, Make)] = [
        ("headers:", { session, url, header in session.request(url, headers: HTTPHeaders([header])) }),
        ("headers: and parameters", { session, url, header in session.post(url, parameters: ["a": 1], headers: HTTPHeaders([header])) }),
        ("headers: received", { session, url, header in session.request(url, headers: HTTPHeaders(received: [header, header])) }),
        (
            "requestModifier, headers",
            { session, url, header in session.request(url, requestModifier: { $0.headers.update(header) }) }
        ),
        (
            "requestModifier, allHTTPHeaderFields",
            { session, url, header in session.request(url, requestModifier: { $0.allHTTPHeaderFields = [header.name: header.value] }) }
        ),
        (
            "URLRequest, headers",
            { session, url, header in
                var request = URLRequest(url: try url.asURL())
                request.headers = HTTPHeaders([header])
                return session.request(request)
            }
        ),
        (
            "URLRequest, allHTTPHeaderFields",
            { session, url, header in
                var request = URLRequest(url: try url.asURL())
                request.allHTTPHeaderFields = [header.name: header.value]
                return session.request(request)
            }
        ),
        (
            "URLRequest(url:method:headers:)",
            { session, url, header in session.request(try URLRequest(url: url, method: .get, headers: HTTPHeaders([header]))) }
        ),
        (
            "ParameterEncoding",
            { session, url, header in session.request(url, parameters: [:], encoding: FieldEncoding(header: header)) }
        ),
    ]

    /// An encoding that adds a field.
    struct FieldEncoding: ParameterEncoding {
        let header: HTTPHeader

        func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
            var request = try urlRequest.asURLRequest()
            request.headers.update(header)
            return request
        }
    }

    @Test("A field with a line break or NUL is invalidHeader by every route, and nothing reaches the server")
    func everyRoute() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("x") }
        let session = Session()
        let headers = Self.badValues.map { HTTPHeader(name: "X-A", value: $0) } + Self.badNames.map { HTTPHeader(name: $0, value: "v") }
        for (name, make) in Self.routes {
            for header in headers {
                let result = try await make(session, server.url(), header).serializingString().result
                #expect(kind(result) == .invalidHeader, "\(name) with \(header.name.debugDescription): \(header.value.debugDescription)")
            }
        }
        // A valid field gets through, so the server was reachable.
        for (name, make) in Self.routes {
            let sent = try await make(session, server.url(), HTTPHeader(name: "X-Fine", value: "fine ü")).serializingString().result
            #expect(kind(sent) == nil, "\(name)")
            #expect(try await server.takeRequest().header("X-Fine")?.hasPrefix("fine ") == true, "\(name)")
        }
        #expect(server.requestCount == Self.routes.count && server.connectionCount >= 1)
        withExtendedLifetime(session) {}
    }

    @Test("A bad field in the session's headers is invalidHeader for every request")
    func configuration() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        for value in Self.badValues {
            for headers in [HTTPHeaders([.userAgent(value)]), ["Fine": "1", "X-A": value], [.authorization(value)]] {
                var configuration = SessionConfiguration.default
                configuration.headers = headers
                let session = Session(configuration: configuration)
                #expect(await kind(session.request(server.url()).serializingData().result) == .invalidHeader)
                // Even if the request replaces it by a valid one.
                let replaced = session.request(server.url(), headers: ["X-A": "good", "User-Agent": "good", "Authorization": "good"])
                #expect(await kind(replaced.serializingData().result) == .invalidHeader)
            }
        }
        #expect(server.requestCount == 0 && server.connectionCount == 0)
    }

    @Test("A bad value is invalidHeader in every field that the library makes from it")
    func factories() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session()
        let factories: [@Sendable (String) -> HTTPHeader] = [
            { .authorization(bearerToken: $0) }, { .authorization($0) }, { .userAgent($0) }, { .accept($0) }, { .acceptCharset($0) },
            { .acceptLanguage($0) }, { .acceptEncoding($0) }, { .contentType($0) }, { .contentDisposition($0) }, { .contentEncoding($0) },
            { .websocketProtocol($0) },
        ]
        for make in factories {
            for value in Self.badValues {
                let result = await session.request(server.url(), headers: [make(value)]).serializingData().result
                #expect(kind(result) == .invalidHeader)
            }
        }
        #expect(server.requestCount == 0 && server.connectionCount == 0)
        // These values are encoded and cannot inject anything.
        server.enqueue(.text("x"))
        let credentials = HTTPHeader.authorization(username: "a\r\nX-Injected: 1", password: "\u{0}")
        _ = try await session.request(server.url(), headers: [credentials]).serializingString().value
        let request = try await server.takeRequest()
        #expect(request.header("Authorization") == credentials.value && request.header("X-Injected") == nil)
        withExtendedLifetime(session) {}
    }

    @Test("A field that Foundation's setValue drops is not sent")
    func setValue() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("x") }
        let session = Session()
        for value in Self.badValues {
            let result = await session.request(
                server.url(),
                requestModifier: {
                    $0.setValue(value, forHTTPHeaderField: "X-A")
                    $0.addValue(value, forHTTPHeaderField: "X-B")
                }
            ).serializingString().result
            if kind(result) == nil {
                let request = try await server.takeRequest()
                #expect(request.header("X-Injected") == nil && request.path == "/")
            } else {
                #expect(kind(result) == .invalidHeader)
            }
        }
        withExtendedLifetime(session) {}
    }

    @Test("The error about a bad field shows its name and not its value")
    func named() async throws {
        let result = await SessionRequestTests.send { $0.request("http://stub.test/", headers: [.authorization("hunter2\r\n")]) }
        let error = try #require(throws: FirewheelError.self) { try result.get() }
        #expect(error.kind == .invalidHeader && error.description.contains("Authorization") && !error.description.contains("hunter2"))
    }

    @Test("A whole header line given as a field name is shown only up to its colon")
    func lineAsName() async throws {
        let result = await SessionRequestTests.send { $0.request("http://stub.test/", headers: ["Authorization: Bearer hunter2": "x"]) }
        let error = try #require(throws: FirewheelError.self) { try result.get() }
        #expect(error.kind == .invalidHeader && error.description.contains("Authorization") && !error.description.contains("hunter2"))
    }
}
