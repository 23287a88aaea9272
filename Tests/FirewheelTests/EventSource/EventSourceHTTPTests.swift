import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Requests and responses of event sources: the cases of web-platform-tests' `eventsource` about statuses, media types and redirects, and of
/// "HTTP behavior" in LaunchDarkly's sse-contract-tests.
@Suite(.eachTransport, .timeLimit(.minutes(5)))
struct EventSourceHTTPTests {
    @Test func theDefaultRequest() async throws {
        let bench = try EventBench()
        bench.respond(.events("data: x\n\n"))
        #expect(try await bench.source().all() == [ServerSentEvent(data: "x")])
        let request = try await bench.server.takeRequest()
        #expect(request.method == "GET")
        #expect(request.headerValues("Accept") == ["text/event-stream"])
        #expect(request.headerValues("Cache-Control") == ["no-cache"])
        #expect(request.headerValues("Last-Event-ID") == [])
    }

    @Test func fieldsOfTheCaller() async throws {
        let bench = try EventBench()
        bench.respond()
        _ = try await bench.source(headers: ["header-name-1": "value-1", "accept": "text/event-stream, */*;q=0.1"]).all()
        let request = try await bench.server.takeRequest()
        #expect(request.header("header-name-1") == "value-1")
        #expect(request.headerValues("Accept") == ["text/event-stream, */*;q=0.1"])
    }

    @Test(arguments: ["POST", "REPORT"])
    func aBodyIsSentWithEachConnection(method: String) async throws {
        let bench = try EventBench()
        bench.respond(.events("data: 1\n\n"), .events("data: 2\n\n"))
        let source = bench.source(
            method: HTTPMethod(rawValue: method), body: Data(#"{"hello": "world"}"#.utf8),
            headers: ["Content-Type": "application/json; charset=utf-8"])
        #expect(try await source.all().map(\.data) == ["1", "2"])
        for request in try await bench.server.takeRequests(3) {
            #expect(request.method == method && request.bodyText == #"{"hello": "world"}"#)
            #expect(request.headerValues("Content-Type") == ["application/json; charset=utf-8"])
        }
    }

    @Test func parametersAreEncodedForEachConnection() async throws {
        struct Prompt: Encodable, Sendable { let model: String }
        let bench = try EventBench()
        let url = bench.server.url()
        func request(_ source: EventSource) async throws -> RecordedRequest {
            bench.respond()
            #expect(try await source.all().isEmpty)
            return try await bench.server.takeRequest()
        }
        let json = try await request(bench.session.eventSource(url, method: .post, parameters: Prompt(model: "m"), encoder: .json))
        #expect(json.method == "POST" && json.bodyText == #"{"model":"m"}"# && json.headerValues("Content-Type") == ["application/json"])
        #expect(json.headerValues("Accept") == ["text/event-stream"])
        let named = try await request(bench.session.eventSource(url, method: .post, parameters: ["model": "m", "n": 1], encoding: .json))
        #expect(named.method == "POST" && named.bodyText == #"{"model":"m","n":1}"#)
        let form = try await request(bench.session.eventSource(url, method: .put, parameters: ["model": "m"]))
        #expect(form.method == "PUT" && form.bodyText == "model=m")
        let query = try await request(bench.session.eventSource(url, parameters: ["a b": "c&d"], headers: ["X-A": "1"], lastEventID: "7"))
        #expect(
            query.method == "GET" && query.target == "/?a%20b=c%26d" && query.header("X-A") == "1" && query.header("Last-Event-ID") == "7")
        let none = try await request(bench.session.eventSource(url, parameters: nil))
        #expect(none.method == "GET" && none.target == "/" && none.body.isEmpty)

        let again = try EventBench()
        again.respond(.events("data: 1\n\n"), .events("data: 2\n\n"))
        let source = again.session.eventSource(
            again.server.url(), method: .post, parameters: Prompt(model: "m"), encoder: .json, reconnection: .standard(delay: 0))
        #expect(try await source.all().map(\.data) == ["1", "2"])
        #expect(try await again.server.takeRequests(3).map(\.bodyText) == Array(repeating: #"{"model":"m"}"#, count: 3))
    }

    @Test func parametersThatCannotBeEncodedEndTheSource() async throws {
        let bench = try EventBench()
        let source = bench.session.eventSource(
            bench.server.url(), method: .post, parameters: ["x": Double.nan], encoder: .json)
        let error = await #expect(throws: FirewheelError.self) { try await source.all() }
        #expect(error?.kind == .parameterEncodingFailed(.jsonEncodingFailed))
        #expect(bench.server.requestCount == 0)
    }

    /// WPT format-field-id: the ID is sent as UTF-8.
    @Test(arguments: [("abc", "abc"), ("…", "…"), ("", nil), ("a\nb", nil), ("a\0b", nil), ("a\rb", nil)] as [(String, String?)])
    func theFirstLastEventID(id: String, sent: String?) async throws {
        let bench = try EventBench()
        bench.respond()
        let source = bench.source(lastEventID: id)
        #expect(source.lastEventID == (id.isEmpty ? nil : id))
        _ = try await source.all()
        let request = try await bench.server.takeRequest()
        #expect(request.header("Last-Event-ID") == sent)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectsAreFollowed(status: Int) async throws {
        let bench = try EventBench()
        bench.server.enqueue(.redirect(to: "/moved", status: status), .events("data: x\n\n"), .status(204))
        #expect(try await bench.source().all().map(\.data) == ["x"])
        // Each connection begins at the source's URL (HTML standard, section 9.2.3).
        #expect(try await bench.server.takeRequests(3).map(\.path) == ["/", "/moved", "/"])
    }

    @Test(arguments: [301, 307], ["missing", "empty"])
    func aRedirectWithoutALocationIsAnError(status: Int, location: String) async throws {
        let bench = try EventBench()
        bench.server.route("/") { _ in
            MockResponse(status: status, headers: location == "empty" ? [("Location", "")] : [])
        }
        await #expect(throws: FirewheelError.self) { try await bench.source().all() }
        #expect(bench.delays == [])
    }

    /// WPT request-status-error.
    @Test(arguments: [205, 210, 299, 400, 401, 404, 410, 500, 503])
    func everyStatusBut200IsFinalByTheStandard(status: Int) async throws {
        let bench = try EventBench()
        bench.respond(.events("data: x\n\n", status: status))
        let source = bench.source(reconnection: .standard)
        let error = await #expect(throws: FirewheelError.self) { try await source.all() }
        #expect(error?.kind == .responseValidationFailed(.unacceptableStatusCode(status)))
        #expect(error?.response?.statusCode == status && source.state == .closed)
        #expect(bench.server.requestCount == 1 && bench.delays == [])
    }

    @Test(arguments: [408, 429, 500, 502, 503, 599])
    func temporaryStatusesAreTriedAgain(status: Int) async throws {
        let bench = try EventBench()
        bench.respond(.events("data: lost\n\n", status: status), .events("data: x\n\n"))
        #expect(try await bench.source().all().map(\.data) == ["x"])
        #expect(bench.delays == [3, 3])
    }

    @Test(arguments: [205, 210, 299, 400, 401, 404, 410])
    func otherStatusesAreFinal(status: Int) async throws {
        let bench = try EventBench()
        bench.respond(.events("data: x\n\n", status: status))
        let error = await #expect(throws: FirewheelError.self) { try await bench.source().all() }
        #expect(error?.kind == .responseValidationFailed(.unacceptableStatusCode(status)))
        #expect(bench.server.requestCount == 1)
    }

    @Test(arguments: [EventSource.Reconnection.standard, .resilient, .never])
    func noContentEndsTheSourceWithoutAnError(reconnection: EventSource.Reconnection) async throws {
        let bench = try EventBench()
        bench.respond()
        #expect(try await bench.source(reconnection: reconnection).all() == [])
        #expect(bench.server.requestCount == 1)
    }

    @Test(
        arguments: [
            ("text/event-stream", nil), ("text/event-stream;", nil), ("Text/Event-Stream; charset=utf-8", nil),
            ("text/event-stream;charset=windows-1252", nil), ("text/x-bogus", "text/x-bogus"), ("x bogus", ""),
            ("text/plain", "text/plain"),
        ] as [(String, String?)])
    func theMediaTypeDecides(type: String, refused: String?) async throws {
        let bench = try EventBench()
        bench.respond(.events("data:ok…\n\n", type: type))
        let source = bench.source()
        guard let refused else {
            // Whatever the charset, the stream is UTF-8.
            #expect(try await source.all().map(\.data) == ["ok…"])
            return
        }
        let error = await #expect(throws: FirewheelError.self) { try await source.all() }
        let acceptable = ["text/event-stream"]
        #expect(
            error?.kind
                == .responseValidationFailed(
                    refused.isEmpty
                        ? .missingContentType(acceptable: acceptable) : .unacceptableContentType(acceptable: acceptable, received: refused))
        )
        #expect(bench.server.requestCount == 1)
    }

    @Test func anEmptyResponseNeedsTheMediaTypeToo() async throws {
        let bench = try EventBench()
        bench.respond(.status(200))
        let error = await #expect(throws: FirewheelError.self) { try await bench.source().all() }
        #expect(error?.kind == .responseValidationFailed(.missingContentType(acceptable: ["text/event-stream"])))
    }

    @Test func theLimitOfFailuresIsThatOfFailuresInARow() async throws {
        let bench = try EventBench()
        // Two failures, a connection, and failures.
        bench.server.enqueue([.status(503), .status(503), .events("data: x\n\n")] + Array(repeating: .status(503), count: 5))
        let source = bench.source(reconnection: .resilient(limit: 3, delay: 1, maximumDelay: 4))
        var events: [ServerSentEvent] = []
        let error = await #expect(throws: FirewheelError.self) { for try await event in source { events.append(event) } }
        #expect(error?.kind == .responseValidationFailed(.unacceptableStatusCode(503)) && events.map(\.data) == ["x"])
        #expect(bench.delays == [1, 2, 1, 1, 2, 4])
        #expect(bench.server.requestCount == 7)
    }

    /// RFC 9110 section 10.2.3.
    @Test(
        arguments: [
            (503, "7", 7), (429, "100", 100), (503, "1", 3), (429, "bogus", 3), (503, "Thu, 01 Jan 1970 00:00:00 GMT", 3),
            (429, "29.5", 30), (503, "7, 9", 9),
        ]
            as [(Int, String, Double)])
    func retryAfterExtendsTheDelay(status: Int, field: String, delay: Double) async throws {
        let bench = try EventBench()
        bench.respond(MockResponse(status: status, headers: [("Retry-After", field)]))
        _ = try await bench.source().all()
        #expect(bench.delays == [delay])
    }

    @Test(arguments: [nil, Data("ask".utf8)])
    func theModifierChangesTheRequestOfEachConnection(body: Data?) async throws {
        let bench = try EventBench()
        bench.respond(.events("id: 1\ndata: 1\n\n"))
        let source = bench.source(
            method: body == nil ? .get : .post, body: body,
            requestModifier: { $0.setValue("\($0.httpBody?.count ?? 0)", forHTTPHeaderField: "X-Own") })
        #expect(try await source.all().map(\.data) == ["1"])
        for request in try await bench.server.takeRequests(2) {
            #expect(request.header("X-Own") == "\(body?.count ?? 0)" && request.bodyText == (body == nil ? "" : "ask"))
        }
    }

    @Test func aRequestThatCannotBeSentIsFinal() async throws {
        let bench = try EventBench()
        for (source, kind) in [
            (bench.source(body: Data([1])), FirewheelError.Kind.urlRequestValidationFailed(.bodyDataInGETRequest)),
            (bench.source(headers: ["a b": "c"]), .invalidHeader), (bench.session.eventSource("not a URL"), .invalidURL),
        ] {
            let error = await #expect(throws: FirewheelError.self) { try await source.all() }
            #expect(error?.kind == kind)
        }
        #expect(bench.delays == [])
    }
}
