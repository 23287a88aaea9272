import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Requests that HTTP forbids, or that cannot be sent: each is an error of its own kind, and nothing is sent.
@Suite("Requests that cannot be sent", .timeLimit(.minutes(5)))
struct BadRequestTests {
    private func refusal(_ make: (Session, String) throws -> DataRequest) async throws -> FirewheelError.Kind? {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("x") }
        let session = Session()
        let result = try await make(session, server.url()).serializingString().result
        withExtendedLifetime(session) {}
        #expect(server.requestCount == (kind(result) == nil ? 1 : 0))
        if kind(result) != nil { #expect(server.connectionCount == 0) }
        return kind(result)
    }

    @Test(
        "A method that is not a token is invalid",
        arguments: ["GET /smuggled HTTP/1.1\r\nX: ", "GET\r\n", "GE T", "", "GET\u{0}", "GÉT", "GET:", "\n"])
    func method(name: String) async throws {
        let invalid = FirewheelError.Kind.urlRequestValidationFailed(.invalidMethod)
        #expect(try await refusal { $0.request($1, method: HTTPMethod(rawValue: name)) } == invalid)
        #expect(try await refusal { $0.request($1, method: HTTPMethod(rawValue: name), headers: ["X-A": "1"]) } == invalid)
        let modified = try await refusal { session, url in
            session.request(url, requestModifier: { $0.method = HTTPMethod(rawValue: name) })
        }
        // Foundation replaces an empty method by GET.
        #expect(modified == invalid || name.isEmpty && modified == nil)
        let given = try await refusal { session, url in
            var request = URLRequest(url: try url.asURL())
            request.httpMethod = name
            return session.request(request)
        }
        #expect(given == invalid || name.isEmpty && given == nil)
    }

    @Test("A custom method that is a token is sent unchanged")
    func ownMethod() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { .text($0.method) }
        let session = Session()
        for name in ["PROPFIND", "query", "X-Y_Z", "get"] {
            #expect(try await session.request(server.url(), method: HTTPMethod(rawValue: name)).serializingString().value == name)
        }
        withExtendedLifetime(session) {}
    }

    @Test("GET with a body is bodyDataInGETRequest, wherever the body comes from")
    func bodyInGET() async throws {
        let expected = FirewheelError.Kind.urlRequestValidationFailed(.bodyDataInGETRequest)
        #expect(try await refusal { $0.get($1, parameters: ["a": 1], encoding: .json) } == expected)
        #expect(try await refusal { $0.get($1, parameters: ["a": 1], encoding: URLEncoding.httpBody) } == expected)
        #expect(try await refusal { $0.get($1, parameters: [1], encoder: .json) } == expected)
        #expect(try await refusal { session, url in session.get(url, requestModifier: { $0.httpBody = Data("x".utf8) }) } == expected)
        let given = try await refusal { session, url in
            var request = URLRequest(url: try url.asURL())
            request.httpBody = Data("x".utf8)
            return session.request(request)
        }
        #expect(given == expected)
        // An empty body does not count.
        #expect(try await refusal { session, url in session.get(url, requestModifier: { $0.httpBody = Data() }) } == nil)
    }

    @Test("Parameters that JSON cannot represent are jsonEncodingFailed")
    func noJSON() async throws {
        let expected = FirewheelError.Kind.parameterEncodingFailed(.jsonEncodingFailed)
        #expect(try await refusal { $0.post($1, parameters: ["a": Date()], encoding: .json) } == expected)
        #expect(try await refusal { $0.post($1, parameters: ["a": Double.nan], encoding: .json) } == expected)
        #expect(try await refusal { $0.post($1, parameters: ["a": [Double.infinity]], encoding: .json) } == expected)
        #expect(try await refusal { $0.post($1, parameters: ["a": Data()], encoding: .json) } == expected)
        #expect(try await refusal { $0.post($1, parameters: [Double.nan], encoder: .json) } == expected)
        #expect(try await refusal { $0.post($1, parameters: ["a": Opaque()], encoding: .json) } == expected)
    }

    @Test("Parameters that a form cannot represent are urlEncodedFormEncodingFailed")
    func noForm() async throws {
        let expected = FirewheelError.Kind.parameterEncodingFailed(.urlEncodedFormEncodingFailed)
        #expect(try await refusal { $0.get($1, parameters: ["a": Opaque()]) } == expected)
        #expect(try await refusal { $0.post($1, parameters: ["a": Double.nan]) } == expected)
        #expect(try await refusal { $0.post($1, parameters: [1, 2]) } == expected)
    }

    @Test("A body stream is bodyStreamUnsupported")
    func bodyStream() async throws {
        let kind = try await refusal { session, url in
            var request = try URLRequest(url: url, method: .post)
            request.httpBodyStream = InputStream(data: Data("x".utf8))
            return session.request(request)
        }
        #expect(kind == .urlRequestValidationFailed(.bodyStreamUnsupported))
    }

    /// A wrong length would let the rest of a body be read as another request (RFC 9112 section 11.2).
    @Test("Framing fields set by the caller are not sent")
    func framing() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("x") }
        let session = Session()
        var request = try URLRequest(url: server.url(), method: .post, headers: ["Content-Length": "2", "Transfer-Encoding": "chunked"])
        request.httpBody = Data("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        _ = try await session.request(request).serializingString().value
        let got = try await server.takeRequest()
        #expect(got.headerValues("Content-Length") == ["\(request.httpBody?.count ?? 0)"] && got.headerValues("Transfer-Encoding") == [])
        #expect(got.body == request.httpBody && server.requestCount == 1)
        withExtendedLifetime(session) {}
    }
}
