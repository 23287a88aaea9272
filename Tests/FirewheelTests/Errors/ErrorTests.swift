import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// FirewheelError: its questions, and what it may not say.
@Suite("Errors")
struct ErrorTests {
    @Test("isTimeout, isConnectivity, isExplicitlyCancelled and urlErrorCode depend on an error's kind")
    func questions() {
        let timeout = FirewheelError(.transportFailed(.timedOut))
        #expect(timeout.isTimeout && !timeout.isConnectivity && !timeout.isExplicitlyCancelled && timeout.urlErrorCode == .timedOut)
        let unreachable: [URLError.Code] = [
            .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet, .dnsLookupFailed,
        ]
        for code in unreachable {
            let error = FirewheelError(.transportFailed(code))
            #expect(error.isConnectivity && !error.isTimeout && error.urlErrorCode == code)
        }
        #expect(!FirewheelError(.transportFailed(.badServerResponse)).isConnectivity)
        let cancelled = FirewheelError(.explicitlyCancelled)
        #expect(cancelled.isExplicitlyCancelled && cancelled.urlErrorCode == .cancelled && !cancelled.isTimeout)
        #expect(!FirewheelError(.sessionInvalidated).isExplicitlyCancelled)
        #expect(FirewheelError(.invalidURL).urlErrorCode == .badURL)
        #expect(FirewheelError(.invalidHeader).urlErrorCode == nil)
        #expect(FirewheelError(.responseBodyTooLarge).urlErrorCode == .dataLengthExceedsMaximum)
    }

    @Test("Properties of an error look through its chain of underlying errors")
    func chain() throws {
        func wrap(_ error: any Error) -> FirewheelError {
            let inner = FirewheelError(.createURLRequestFailed, underlyingError: error)
            return FirewheelError(.responseValidationFailed(.customValidationFailed), underlyingError: inner)
        }
        #expect(wrap(FirewheelError(.transportFailed(.timedOut))).isTimeout)
        #expect(wrap(FirewheelError(.transportFailed(.cannotFindHost))).isConnectivity)
        #expect(wrap(URLError(.timedOut)).isTimeout && wrap(URLError(.networkConnectionLost)).urlErrorCode == .networkConnectionLost)
        let response = HTTPURLResponse(url: try "http://a.test/".asURL(), statusCode: 502, httpVersion: nil, headerFields: nil)
        #expect(wrap(FirewheelError(.responseBodyTooLarge, response: response)).responseCode == 502)
        #expect(wrap(FirewheelError(.responseValidationFailed(.unacceptableStatusCode(404)))).responseCode == 404)
        #expect(wrap(SomeError()).responseCode == nil && wrap(SomeError()).urlErrorCode == nil)
        #expect(wrap(FirewheelError(.explicitlyCancelled)).isExplicitlyCancelled)
    }

    @Test("Error kinds are equal only if their associated values are")
    func kinds() {
        typealias Kind = FirewheelError.Kind
        #expect(Kind.transportFailed(.timedOut) != .transportFailed(.cancelled))
        #expect(Kind.responseValidationFailed(.unacceptableStatusCode(404)) == .responseValidationFailed(.unacceptableStatusCode(404)))
        #expect(Kind.responseValidationFailed(.unacceptableStatusCode(404)) != .responseValidationFailed(.unacceptableStatusCode(405)))
    }

    @Test("An error's description is the request, a colon and what happened, and equals localizedDescription")
    func sentences() throws {
        let request = try URLRequest(url: "http://user:pass@stub.test/?token=t", method: .post)
        let error = FirewheelError(
            .transportFailed(.timedOut), detail: "the detail", underlyingError: TransportFailure("the cause"), request: request)
        #expect(
            error.description
                == "POST http://<redacted>@stub.test/?token=<redacted>: timed out (URLError -1001): the cause (the detail)")
        #expect(error.localizedDescription == error.description && "\(error)" == error.description)
        #expect((error as any Error).localizedDescription == error.description)
        #expect(FirewheelError(.responseValidationFailed(.unacceptableStatusCode(404))).description.contains("404"))
    }

    /// The secret is "hunter2" wherever a URL can hold one, well-formed or not.
    @Test(
        "No error's description contains the credentials of a URL",
        arguments: [
            "http://user:hunter2@stub.test/", "http://hunter2@stub.test/", "http://user:hunter2@stub.test:99999/",
            "http://user:hunter2@/", "ftp://user:hunter2@stub.test/", "http://user:hunter2@exa mple.test/", "http://user:hunter2@[::1/",
            "http:/user:hunter2@stub.test/",
            "user:hunter2@stub.test/", "//user:hunter2@stub.test/", "http://user:hunter2/x@stub.test/", "http://user:hunter2?x@stub.test/",
            "http://user:hunter2#x@stub.test/", "http:user:hunter2@stub.test", "http://a@b:hunter2@stub.test:x/",
        ])
    func urlCredentials(url: String) async throws {
        let stub = StubTransport { _ in [.fail(.failed(.timedOut, "in vain"))] }
        let session = Session(transport: stub)
        let request = session.request(url)
        let response = await request.serializingData().response
        let error = try #require(response.error as? FirewheelError)
        let file = await session.download(url).serializingData().response
        let texts = [
            file.description, error.description, error.localizedDescription, error.detail ?? "", "\(error)", String(reflecting: error),
            response.description, request.description, "\(response.result)", response.metrics?.description ?? "",
        ]
        #expect(texts.filter { $0.contains("hunter2") } == [])
        withExtendedLifetime(session) {}
    }

    @Test("No error's description contains an Authorization field")
    func headerCredentials() async throws {
        let fates: [[StubTransport.Step]] = [
            [.fail(.failed(.timedOut, "in vain"))], [.response(ResponseHead(statusCode: 401)), .finish(body: Data("x".utf8))],
        ]
        for steps in fates {
            let session = Session(transport: StubTransport { _ in steps })
            let headers: HTTPHeaders = [.authorization(bearerToken: "hunter2"), HTTPHeader(name: "Cookie", value: "hunter2")]
            let request = session.request("http://stub.test/", headers: headers).validate()
            let response = await request.serializingDecodable([Int].self).response
            let error = try #require(response.error as? FirewheelError)
            #expect(error.request?.headers["Authorization"] == "Bearer hunter2")
            for text in ["\(error)", String(reflecting: error), error.localizedDescription, "\(response)", "\(request)", "\(headers)"] {
                #expect(!text.contains("hunter2"), "\(text)")
            }
            withExtendedLifetime(session) {}
        }
    }
}
