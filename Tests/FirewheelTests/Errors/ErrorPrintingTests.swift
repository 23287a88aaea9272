import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// A printed error contains no secret. The text "hunter2" stands for a secret everywhere.
@Suite("Printed errors")
struct ErrorPrintingTests {
    /// In all the ways in which a program, a log or a debugger prints.
    private func prints(_ error: FirewheelError) -> [String] {
        var dumped = ""
        dump(error, to: &dumped)
        var dumpedResult = ""
        dump(Result<Int, any Error>.failure(error), to: &dumpedResult)
        return [
            error.description, error.localizedDescription, "\(error)", String(reflecting: error), String(describing: Optional(error)),
            dumped, dumpedResult,
            "\(Result<Int, any Error>.failure(error))", "\(Mirror(reflecting: error).children.map { "\($0)" })",
        ]
    }

    private func exchange() throws -> (URLRequest, HTTPURLResponse) {
        let url = try "http://user:hunter2@stub.test/path".asURL()
        var request = try URLRequest(url: url, method: .post, headers: ["Authorization": "Bearer hunter2", "Cookie": "hunter2"])
        request.httpBody = Data("hunter2".utf8)
        let response = HTTPURLResponse(url: url, statusCode: 401, httpVersion: "HTTP/1.1", headerFields: ["Set-Cookie": "hunter2"])
        return (request, try #require(response))
    }

    @Test("A printed error does not contain its request, response and body")
    func exchanges() throws {
        let (request, response) = try exchange()
        let error = FirewheelError(
            .responseValidationFailed(.unacceptableStatusCode(401)), detail: "the detail",
            underlyingError: FirewheelError(.transportFailed(.timedOut), request: request, response: response), request: request,
            response: response, responseData: Data("hunter2".utf8))
        for text in prints(error) { #expect(!text.contains("hunter2"), "\(text)") }
        var dumped = ""
        dump(error, to: &dumped)
        for part in ["unacceptableStatusCode", "the detail", "POST", "stub.test/path", "401", "7 bytes"] {
            #expect(dumped.contains(part), "\(part)")
        }
    }

    @Test("A printed error does not contain the value that could not be encoded")
    func encoding() throws {
        struct Login: Encodable, Sendable {
            let password: String
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(
                    self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "refused", underlyingError: Nested()))
            }
        }
        struct Nested: Error, CustomStringConvertible { let description = "the reason" }
        let session = Session(transport: StubTransport { _ in [] })
        for encoder in [JSONParameterEncoder.default as any ParameterEncoder, URLEncodedFormParameterEncoder.default] {
            var error: FirewheelError?
            do {
                _ = try encoder.encode(["login": Login(password: "hunter2")], into: URLRequest(url: try "http://stub.test/".asURL()))
            } catch let thrown {
                error = thrown.asFirewheelError
            }
            let thrown = try #require(error)
            for text in prints(thrown) { #expect(!text.contains("hunter2"), "\(text)") }
            #expect(thrown.description.contains("Login") && thrown.description.contains("refused"), "\(thrown)")
        }
        withExtendedLifetime(session) {}
    }

    @Test("A printed error does not contain the URL of a URLError")
    func urlErrors() {
        let inner = URLError(.timedOut, userInfo: ["NSErrorFailingURLStringKey": "http://user:hunter2@stub.test/"])
        let error = FirewheelError(.createURLRequestFailed, underlyingError: inner)
        for text in prints(error) { #expect(!text.contains("hunter2"), "\(text)") }
        #expect(error.description == "the request could not be made: timed out (URLError -1001)")
    }

    @Test("A retrier's error is printed with the failure before it, and without secrets")
    func retries() throws {
        struct GaveUp: Error, CustomStringConvertible { let description = "the quota is used up" }
        let (request, response) = try exchange()
        let original = FirewheelError(
            .responseValidationFailed(.unacceptableStatusCode(503)), request: request, response: response,
            responseData: Data("hunter2".utf8))
        let error = FirewheelError(.requestRetryFailed, underlyingError: GaveUp(), originalError: original, request: request)
        for text in prints(error) { #expect(!text.contains("hunter2"), "\(text)") }
        #expect(
            error.description
                == "POST http://<redacted>@stub.test/path: the request was not retried: the quota is used up; the failure before that: "
                + "status 503 is not acceptable (7 bytes)")
        var dumped = ""
        dump(error, to: &dumped)
        #expect(dumped.contains("originalError") && dumped.contains("status 503"))
    }

    @Test("Errors thrown by an adapter or a redirect handler are printed with their own text")
    func policies() {
        struct Locked: Error, CustomStringConvertible { let description = "the key chain is locked" }
        #expect(
            FirewheelError(.requestAdaptationFailed, underlyingError: Locked()).description
                == "the request adapter failed: the key chain is locked")
        #expect(
            FirewheelError(.redirectHandlingFailed, underlyingError: Locked()).description
                == "the redirect handler failed: the key chain is locked")
    }
}
