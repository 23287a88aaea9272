import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// No printed value shows a credential, however it is printed. The text "s3cret" stands for a credential everywhere.
@Suite("Secrets in printed descriptions")
struct PrintedSecretsTests {
    /// All the ways in which a program, a log or a debugger prints.
    private func prints(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var dumpedInside = ""
        dump(["key": value], to: &dumpedInside)
        return ["\(value)", String(reflecting: value), "\([value])", "\(Optional(value) as Any)", dumped, dumpedInside]
    }

    private static let url = "http://ann:s3cret@a.test/path?token=s3cret&shown=1"

    private func request() throws -> URLRequest {
        var request = try URLRequest(
            url: Self.url, method: .post,
            headers: ["Authorization": "Bearer s3cret", "X-Vault-Token": "s3cret", "Content-Type": "application/json"])
        request.httpBody = Data(#"{"password": "s3cret"}"#.utf8)
        return request
    }

    private func response() throws -> HTTPURLResponse {
        let fields = ["Set-Cookie": "s3cret", "Token": "s3cret", "Content-Type": "application/x-www-form-urlencoded"]
        return try #require(HTTPURLResponse(url: Self.url.asURL(), statusCode: 401, httpVersion: "HTTP/1.1", headerFields: fields))
    }

    private struct Login: Sendable {
        var user = "ann"
        var password = "s3cret"
    }

    /// Errors of Foundation's that name a URL, bare and behind others.
    private func errors() throws -> [any Error] {
        let userInfo: [String: Any] = [NSURLErrorFailingURLErrorKey: try Self.url.asURL(), "NSErrorFailingURLStringKey": Self.url]
        let bare: [any Error] = [
            URLError(.timedOut, userInfo: userInfo),
            NSError(domain: NSURLErrorDomain, code: URLError.timedOut.rawValue, userInfo: userInfo),
        ]
        return bare
            + bare.flatMap { error -> [any Error] in
                let context = DecodingError.Context(codingPath: [], debugDescription: "refused", underlyingError: error)
                return [
                    DecodingError.dataCorrupted(context), DecodingError.typeMismatch(Int.self, context),
                    DecodingError.valueNotFound(Int.self, context),
                    EncodingError.invalidValue("s3cret", .init(codingPath: [], debugDescription: "refused", underlyingError: error)),
                    NSError(domain: "app", code: 1, userInfo: [NSUnderlyingErrorKey: error]),
                    FirewheelError(.createURLRequestFailed, underlyingError: error),
                ]
            }
    }

    private func expectNoSecret(_ value: Any, showing part: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
        for text in prints(value) {
            #expect(!text.contains("s3cret"), "\(text)", sourceLocation: sourceLocation)
            #expect(text.contains(part) || part.isEmpty, "\(text)", sourceLocation: sourceLocation)
        }
    }

    @Test func headers() throws {
        let headers = try request().headers
        expectNoSecret(headers, showing: "Authorization: <redacted>")
        expectNoSecret(headers[0], showing: "Authorization: <redacted>")
        expectNoSecret(ResponseHead(statusCode: 200, headers: headers), showing: "200")
    }

    @Test func events() throws {
        expectNoSecret(
            RequestEvent.redirect(to: try request()), showing: "redirect(to: POST http://<redacted>@a.test/path?token=<redacted>&shown=1)")
        expectNoSecret(RequestEvent.createTask(attempt: 2, hop: 1), showing: "createTask(attempt: 2, hop: 1)")
        expectNoSecret(RequestEvent.saveFile(URL(fileURLWithPath: "/tmp/a b")), showing: "saveFile(/tmp/a b)")
        expectNoSecret(RequestEvent.finish(error: nil), showing: "finish(error: nil)")
        for error in try errors() {
            for (event, text) in [
                (.failToCreateURLRequest(error: error), "failToCreateURLRequest(error: "),
                (.completeTask(error: error), "completeTask(error: "),
                (.validate(error: error), "validate(error: "), (.finish(error: error), "finish(error: "),
                (.parseResponse(type: "Int", error: error), "parseResponse(type: Int, error: "),
            ] as [(RequestEvent, String)] {
                expectNoSecret(event, showing: text)
            }
        }
    }

    @Test func contextsAndConfigurations() throws {
        let (request, response) = (try request(), try response())
        let url = try Self.url.asURL()
        expectNoSecret(
            RequestContext(id: 7, request: request, response: response, baseURL: url, headers: request.headers), showing: "request 7")
        var configuration = SessionConfiguration.default
        configuration.baseURL = url
        configuration.headers = request.headers
        configuration.maximumConnectionsPerHost = 17
        expectNoSecret(configuration, showing: "17")
        expectNoSecret(configuration, showing: "httpVersions: automatic")
        expectNoSecret(configuration, showing: "http://<redacted>@a.test/path")
        let session = Session(configuration: configuration, transport: StubTransport { _ in [] }, startRequestsImmediately: false)
        expectNoSecret(session)
        expectNoSecret(session.request(Self.url, headers: request.headers))
        expectNoSecret(session.request(request).serializingString(automaticallyCancelling: true))
        expectNoSecret(session.download(request))
    }

    @Test func whatTransportsAreGiven() throws {
        let target = try #require(TargetURI(Self.url))
        let request = TransportRequest(
            id: TransportTaskID(request: 1), method: .get, target: target, headers: try request().headers,
            body: Data("s3cret".utf8))
        expectNoSecret(request, showing: "GET http://a.test/path?token=<redacted>&shown=1")
        expectNoSecret(target, showing: "http://a.test/path?token=<redacted>&shown=1")
    }

    @Test func responses() throws {
        let (request, response) = (try request(), try response())
        let form = "token=s3cret&shown=1"
        let values: [any Sendable] = [form, Login(), ["token": "s3cret"], [Login()], request.headers, Optional(Login())]
        for value in values {
            expectNoSecret(
                DataResponse<any Sendable>(request: request, response: response, data: Data(form.utf8), result: .success(value)),
                showing: "success(")
            expectNoSecret(
                DownloadResponse<any Sendable>(request: request, response: response, result: .success(value)), showing: "success(")
        }
        for error in try errors() {
            expectNoSecret(
                DataResponse<Login>(request: request, response: response, data: Data(form.utf8), result: .failure(error)),
                showing: "failure(")
            expectNoSecret(DownloadResponse<Login>(request: request, response: response, result: .failure(error)), showing: "failure(")
        }
    }

    @Test func errorsBehindErrors() throws {
        for error in try errors() {
            expectNoSecret(FirewheelError(.createURLRequestFailed, underlyingError: error, request: try request()))
        }
    }

    @Test func exchanges() async throws {
        for error in try errors() {
            let session = Session(
                transport: StubTransport { _ in
                    [.response(ResponseHead(statusCode: 200, headers: ["Token": "s3cret"])), .finish(body: Data("x".utf8))]
                })
            let failing = DataResponseSerializer<String> { _, _, _, _ in .failure(error) }
            let response = await session.request(Self.url, headers: try request().headers)
                .serializingResponse(using: DataResponseSerializer<String>.compound([failing])).response
            #expect(response.error?.asFirewheelError?.underlyingError is CompoundSerializationFailure)
            expectNoSecret(response, showing: "failure(")
            expectNoSecret(try #require(response.error?.asFirewheelError?.underlyingError))
            let metrics = try #require(response.metrics)
            expectNoSecret(metrics, showing: "token=<redacted>")
            expectNoSecret(metrics.transactionMetrics, showing: "token=<redacted>")
            withExtendedLifetime(session) {}
        }
    }
}
