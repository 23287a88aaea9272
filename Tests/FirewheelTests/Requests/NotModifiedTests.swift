import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// A 304 (RFC 9110 section 15.4.5) that the caller has asked for, and one that nobody has asked for.
@Suite("304 to conditional requests", .eachTransport, .timeLimit(.minutes(5)))
struct NotModifiedTests {
    private struct Page: Decodable, Sendable, Equatable, EmptyResponse {
        let number: Int
        static func emptyValue() -> Page { Page(number: -1) }
    }

    /// A server with the entity tag "1" and the value 7.
    private func server() throws -> MockServer {
        let server = try MockServer()
        server.route("*") { request in
            let isKnown = request.header("If-None-Match") == "\"1\"" || request.header("If-Modified-Since") != nil
            if request.path == "/always" || isKnown { return MockResponse(status: 304).header("ETag", "\"1\"") }
            return MockResponse.json(#"{"number": 7}"#).header("ETag", "\"1\"")
        }
        return server
    }

    @Test(
        "It passes validate(), and every serializer takes it for an empty body",
        arguments: ["If-None-Match", "if-none-match", "If-Modified-Since"])
    func passes(field: String) async throws {
        let server = try server()
        defer { server.shutdown() }
        let session = Session.onTest()
        let headers: HTTPHeaders = [field: field == "If-Modified-Since" ? "Sat, 01 Jan 2000 00:00:00 GMT" : "\"1\""]
        func request() -> DataRequest { session.get(server.url(), headers: headers).validate() }
        let response = await request().serializingData().response
        #expect(try response.result.get() == Data() && response.statusCode == 304 && response.headers["ETag"] == "\"1\"")
        #expect(try await request().serializingString().value == "")
        #expect(try await request().serializingJSON().value == .null)
        #expect(try await request().serializingDecodable(Empty.self).value == Empty.value)
        #expect(try await request().serializingDecodable(Page.self).value == Page(number: -1))
        #expect(await request().raw().error == nil)
        #expect(try await request().serializingResponse(using: .compound([.string()])).value == "")
        // A type without an empty value has none here either.
        let numbers = await request().serializingDecodable([Int].self).response
        #expect(kind(numbers.error) == .responseSerializationFailed(.invalidEmptyResponse(type: "Array<Int>")))
        // The other validations of the request count as they are written.
        let strict = await request().validate(statusCode: 200..<300).raw()
        #expect(strict.kind == .responseValidationFailed(.unacceptableStatusCode(304)))
        #expect(try await request().validate(contentType: ["application/json"]).serializingData().value == Data())
    }

    @Test("A changed resource is received as usual")
    func changed() async throws {
        let server = try server()
        defer { server.shutdown() }
        let session = Session.onTest(configuration: .with { $0.validation = .standard })
        let value = try await session.get(server.url(), headers: ["If-None-Match": "\"0\""]).serializingDecodable(Page.self).value
        #expect(value == Page(number: 7))
    }

    @Test("The condition may come from the session's validation and headers, a modifier or an adapter")
    func sources() async throws {
        let server = try server()
        defer { server.shutdown() }
        let configuration = SessionConfiguration.with {
            $0.validation = .standard
            $0.headers.add(name: "If-None-Match", value: "\"1\"")
        }
        #expect(try await Session.onTest(configuration: configuration).get(server.url()).serializingString().value == "")
        let session = Session.onTest(configuration: .with { $0.validation = .standard })
        let modified = session.get(server.url(), requestModifier: { $0.headers.add(name: "If-None-Match", value: "\"1\"") })
        #expect(try await modified.serializingString().value == "")
        let adapted = session.get(server.url()).adapt { request, _ in request.headers.add(name: "If-None-Match", value: "\"1\"") }
        #expect(try await adapted.serializingString().value == "")
    }

    @Test("A 304 that nobody has asked for is refused as before, also to conditions that have another answer")
    func unasked() async throws {
        let server = try server()
        defer { server.shutdown() }
        let session = Session.onTest()
        for headers in [[:], ["If-Match": "\"1\""], ["If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"]] as [HTTPHeaders] {
            let request = session.get(server.url("/always"), headers: headers)
            #expect(await request.validate().raw().kind == .responseValidationFailed(.unacceptableStatusCode(304)))
            let empty = await session.get(server.url("/always"), headers: headers).serializingString().response
            #expect(kind(empty.error) == .responseSerializationFailed(.inputDataNilOrZeroLength))
        }
    }

    @Test(
        "A 304 to a method that changes something is refused, and its missing body is an error",
        arguments: [HTTPMethod.put, .post, .delete])
    func writing(method: HTTPMethod) async throws {
        let server = try server()
        defer { server.shutdown() }
        let session = Session.onTest()
        func request() -> DataRequest { session.request(server.url("/always"), method: method, headers: ["If-None-Match": "*"]) }
        #expect(await request().validate().raw().kind == .responseValidationFailed(.unacceptableStatusCode(304)))
        let empty = await request().serializingDecodable(Empty.self).response
        #expect(kind(empty.error) == .responseSerializationFailed(.inputDataNilOrZeroLength))
    }

    @Test("A download is refused, so that the file at its destination stays")
    func download() async throws {
        let server = try server()
        defer { server.shutdown() }
        let session = Session.onTest()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("Firewheel-304-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("before".utf8).write(to: file)
        let download = session.download(server.url(), headers: ["If-None-Match": "\"1\""], to: { _, _ in (file, [.removePreviousFile]) })
        let response = await download.validate().serializingDownloadedFileURL().response
        #expect(kind(response.error) == .responseValidationFailed(.unacceptableStatusCode(304)))
        #expect((response.error as? FirewheelError)?.responseCode == 304)
        #expect(try Data(contentsOf: file) == Data("before".utf8))
        // Without validation it is a success, as every response is. The destination is not touched then either.
        let unchecked = await session.download(
            server.url(), headers: ["If-None-Match": "\"1\""], to: { _, _ in (file, [.removePreviousFile]) }
        ).serializingDownloadedFileURL().response
        #expect(unchecked.error == nil && unchecked.statusCode == 304 && unchecked.destinationURL == nil)
        #expect(try Data(contentsOf: file) == Data("before".utf8))
        if let temporary = try? unchecked.result.get() { try FileManager.default.removeItem(at: temporary) }
        let data = try await session.download(server.url(), headers: ["If-None-Match": "\"1\""]).serializingData().value
        #expect(data == Data())
    }

    @Test("A stream ends without an element")
    func stream() async throws {
        let server = try server()
        defer { server.shutdown() }
        let session = Session.onTest()
        let request = session.streamRequest(server.url(), headers: ["If-None-Match": "\"1\""]).validate()
        var lines: [String] = []
        for try await line in request.streamTask().streamingLines() { lines.append(line) }
        #expect(lines == [] && request.response?.statusCode == 304)
    }

    @Test("The condition counts that was sent to the server that answers")
    func redirected() async throws {
        let server = try server()
        defer { server.shutdown() }
        server.route("/moved") { _ in .redirect(to: "/") }
        let session = Session.onTest()
        #expect(try await session.get(server.url("/moved"), headers: ["If-None-Match": "\"1\""]).validate().serializingString().value == "")
        let dropping = session.get(server.url("/moved"), headers: ["If-None-Match": "\"1\""])
            .redirect(
                using: .modify { _, request, _ in
                    var request = request
                    request.headers.remove(name: "If-None-Match")
                    request.url = URL(string: server.url("/always"))
                    return request
                })
        #expect(await dropping.validate().raw().kind == .responseValidationFailed(.unacceptableStatusCode(304)))
    }
}
