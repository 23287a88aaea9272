import Firewheel
import Foundation
import Testing

/// An error thrown by the caller's code while the request is built is the request's error, and nothing is sent.
@Suite("Errors thrown while a request is built")
struct ThrowingSourcesTests {
    private let url = "http://stub.test/"

    private func error(_ make: (Session) -> DataRequest) async throws -> FirewheelError {
        let result = await SessionRequestTests.send(.default, make)
        return try #require(throws: FirewheelError.self) { try result.get() }
    }

    @Test("An error of a request modifier is createURLRequestFailed, and a FirewheelError is kept")
    func modifier() async throws {
        let own = try await error { $0.request(url, requestModifier: { _ in throw SomeError(number: 1) }) }
        #expect(own.kind == .createURLRequestFailed && own.underlyingError as? SomeError == SomeError(number: 1))
        let ours = try await error { $0.request(url, requestModifier: { _ in throw FirewheelError(.invalidHeader) }) }
        #expect(ours.kind == .invalidHeader)
    }

    struct Endpoint: URLRequestConvertible {
        let error: (any Error)?

        func asURLRequest() throws -> URLRequest {
            if let error { throw error }
            return try URLRequest(url: "http://stub.test/endpoint", method: .options)
        }
    }

    @Test("A URLRequestConvertible makes the request, and its error is the request's")
    func convertible() async throws {
        let sent = try await SessionRequestTests.send { $0.request(Endpoint(error: nil)) }.get()
        #expect(sent.method == .options && sent.target.string == "http://stub.test/endpoint")
        let own = try await error { $0.request(Endpoint(error: SomeError(number: 2))) }
        #expect(own.kind == .createURLRequestFailed && own.underlyingError as? SomeError == SomeError(number: 2))
        let ours = try await error { $0.request(Endpoint(error: FirewheelError(.invalidURL))) }
        #expect(ours.kind == .invalidURL)
    }

    struct Address: URLConvertible {
        func asURL() throws -> URL { throw SomeError(number: 3) }
    }

    @Test("The error of a URLConvertible is the request's")
    func urlConvertible() async throws {
        let own = try await error { $0.request(Address()) }
        #expect(own.kind == .createURLRequestFailed && own.underlyingError as? SomeError == SomeError(number: 3))
    }

    struct Encoding: ParameterEncoding {
        func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
            if parameters?["fails"] != nil { throw SomeError(number: 4) }
            var request = try urlRequest.asURLRequest()
            request.headers["X-Encoded"] = "\(parameters?.count ?? 0)"
            return request
        }
    }

    struct Encoder: ParameterEncoder {
        func encode<P: Encodable & Sendable>(_ parameters: P?, into request: URLRequest) throws -> URLRequest { throw SomeError(number: 5) }
    }

    @Test("A custom encoding is used also without parameters, and its error is customEncodingFailed")
    func encoding() async throws {
        let sent = try await SessionRequestTests.send { $0.request(url, parameters: ["a": 1], encoding: Encoding()) }.get()
        #expect(sent.headers["X-Encoded"] == "1")
        let none = try await SessionRequestTests.send { $0.request(url, encoding: Encoding()) }.get()
        #expect(none.headers["X-Encoded"] == "0")
        let own = try await error { $0.request(url, parameters: ["fails": 1], encoding: Encoding()) }
        #expect(own.kind == .parameterEncodingFailed(.customEncodingFailed))
        #expect(own.underlyingError as? SomeError == SomeError(number: 4))
        let encoder = try await error { $0.request(url, parameters: ["a"], encoder: Encoder()) }
        #expect(encoder.kind == .parameterEncodingFailed(.customEncodingFailed))
        #expect(encoder.underlyingError as? SomeError == SomeError(number: 5))
    }

    @Test("Errors while building a download, or with a handler on a queue, arrive in the same way")
    func elsewhere() async throws {
        let session = session(body: "x")
        let failing = session.download(url, requestModifier: { _ in throw SomeError() })
        let download = await failing.serializingDownloadedFileURL().response
        #expect(kind(download.error) == .createURLRequestFailed && download.fileURL == nil && download.request == nil)
        let journal = Journal<FirewheelError.Kind?>()
        session.request(url, requestModifier: { _ in throw SomeError() }).response(queue: .global()) { journal.add(kind($0.error)) }
        #expect(try await journal.wait(for: 1) == [.createURLRequestFailed])
        withExtendedLifetime(session) {}
    }
}
