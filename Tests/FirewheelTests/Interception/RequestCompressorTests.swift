import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Defaults and behaviors are those of Alamofire's type of the same name.
@Suite("DeflateRequestCompressor", .timeLimit(.minutes(5)))
struct RequestCompressorTests {
    private static let body = Data(String(repeating: "hello ", count: 100).utf8)

    private func request(_ body: Data? = body, contentEncoding: String? = nil) throws -> URLRequest {
        var request = try URLRequest(url: "http://stub.test/", method: .post)
        request.httpBody = body
        if let contentEncoding { request.headers.add(.contentEncoding(contentEncoding)) }
        return request
    }

    private func adapt(_ compressor: DeflateRequestCompressor, _ request: URLRequest) async throws -> URLRequest {
        try await compressor.adapt(request, for: RequestContext(id: 1))
    }

    private func source(length: Int64?) -> BodySource { .stream(UnreadBody(length: length)) }

    private func isCompressed(_ body: BodySource) -> Bool {
        if case .stream(let stream) = body { stream is CompressedBody } else { false }
    }

    // MARK: Bodies in memory

    @Test("A body in memory is compressed, and the field names its coding (RFC 9110 section 8.4)")
    func inMemory() async throws {
        for (compressor, coding) in [
            (DeflateRequestCompressor(), "deflate"), (.deflateCompressor, "deflate"), (.deflateCompressor(coding: .gzip), "gzip"),
        ] {
            let adapted = try await adapt(compressor, request())
            #expect(adapted.headers.values(for: "Content-Encoding") == [coding])
            #expect(adapted.httpBody == (try BodyCompressor.compress(Self.body, compressor.coding)))
            #expect(adapted.method == .post && adapted.url?.absoluteString == "http://stub.test/")
        }
    }

    @Test("A request with an empty body or none is left unchanged")
    func empty() async throws {
        for behavior in [DeflateRequestCompressor.DuplicateHeaderBehavior.error, .replace, .skip] {
            let compressor = DeflateRequestCompressor(duplicateHeaderBehavior: behavior) { _ in
                Issue.record("asked for an empty body")
                return true
            }
            for body in [nil, Data()] {
                for encoding in [nil, "br"] {
                    let request = try request(body, contentEncoding: encoding)
                    #expect(try await adapt(compressor, request) == request)
                }
            }
        }
    }

    @Test("A body that should not be compressed is left unchanged, whatever its Content-Encoding")
    func refused() async throws {
        let compressor = DeflateRequestCompressor { $0.count > 600 }
        for encoding in [nil, "br"] {
            let request = try request(contentEncoding: encoding)
            #expect(try await adapt(compressor, request) == request)
        }
        let longer = try await adapt(compressor, request(Self.body + Data([1])))
        #expect(longer.headers["Content-Encoding"] == "deflate")
    }

    @Test("A Content-Encoding that is there already is an error, replaced, or a reason to do nothing")
    func duplicates() async throws {
        let request = try request(contentEncoding: "br")
        let error = await #expect(throws: DeflateRequestCompressor.DuplicateHeaderError.self) {
            try await adapt(DeflateRequestCompressor(), request)
        }
        #expect(error?.name == "Content-Encoding")
        #expect(try await adapt(.deflateCompressor(duplicateHeaderBehavior: .skip), request) == request)
        let replaced = try await adapt(.deflateCompressor(duplicateHeaderBehavior: .replace, coding: .gzip), request)
        #expect(replaced.headers.values(for: "Content-Encoding") == ["gzip"])
        #expect(replaced.httpBody == (try BodyCompressor.compress(Self.body, .gzip)))
    }

    // MARK: Other bodies

    @Test("Bodies from files and streams are compressed while they are sent, without being asked about")
    func streamed() throws {
        let compressor = DeflateRequestCompressor(coding: .gzip) { _ in
            Issue.record("asked about a body that is not in memory")
            return false
        }
        for body in [source(length: nil), source(length: 10), .file(URL(fileURLWithPath: "/body"), length: 10)] {
            var request = try request(nil)
            let adapted = try compressor.adapt(body, of: &request)
            #expect(isCompressed(adapted) && adapted.length == nil)
            #expect(request.headers.values(for: "Content-Encoding") == ["gzip"])
        }
    }

    @Test("A body source in memory is compressed at once, so that its length is known")
    func dataSource() throws {
        var request = try request(nil)
        guard case .data(let data) = try DeflateRequestCompressor().adapt(.data(Self.body), of: &request) else {
            Issue.record("no data")
            return
        }
        #expect(data == (try BodyCompressor.compress(Self.body, .deflate)))
        #expect(request.headers["Content-Encoding"] == "deflate")
        request = try self.request(nil)
        _ = try DeflateRequestCompressor { _ in false }.adapt(.data(Self.body), of: &request)
        #expect(request.headers["Content-Encoding"] == nil)
    }

    @Test("A stream that is known to be empty is left unchanged")
    func emptySource() throws {
        var request = try request(nil, contentEncoding: "br")
        let before = request
        #expect(!isCompressed(try DeflateRequestCompressor().adapt(source(length: 0), of: &request)))
        #expect(request == before)
    }

    @Test("A streamed body with a Content-Encoding is treated as one in memory")
    func streamedDuplicates() throws {
        var request = try request(nil, contentEncoding: "br")
        #expect(throws: DeflateRequestCompressor.DuplicateHeaderError(name: "Content-Encoding")) {
            try DeflateRequestCompressor().adapt(source(length: nil), of: &request)
        }
        #expect(!isCompressed(try DeflateRequestCompressor(duplicateHeaderBehavior: .skip).adapt(source(length: nil), of: &request)))
        #expect(request.headers.values(for: "Content-Encoding") == ["br"])
        #expect(isCompressed(try DeflateRequestCompressor(duplicateHeaderBehavior: .replace).adapt(source(length: nil), of: &request)))
        #expect(request.headers.values(for: "Content-Encoding") == ["deflate"])
    }

    @Test("The body adapters of an interceptor are those inside it, in calling order")
    func bodyAdapters() {
        let inner = Interceptor(adapters: [.adapter { _, _ in }], interceptors: [.deflateCompressor(coding: .gzip), .retryPolicy])
        let outer = Interceptor(adapters: [.deflateCompressor], interceptors: [inner, Interceptor()])
        let codings = outer.bodyAdapters.map { ($0 as? DeflateRequestCompressor)?.coding }
        #expect(codings == [.deflate, .gzip])
        #expect(DeflateRequestCompressor().bodyAdapters.count == 1 && Adapter { _, _ in }.bodyAdapters.isEmpty)
    }

    // MARK: Through a session

    @Test("A session sends the compressed body")
    func sent() async throws {
        let transport = StubTransport { request in
            let coding = Data((request.headers["Content-Encoding"] ?? "none").utf8)
            return [.response(ResponseHead(statusCode: 200)), .finish(body: coding + (request.body ?? Data()))]
        }
        let session = Session(transport: transport, interceptor: .deflateCompressor)
        let request = session.post("http://stub.test/", parameters: ["a": "hello"])
        let expected = Data("deflate".utf8) + (try BodyCompressor.compress(Data("a=hello".utf8), .deflate))
        #expect(try await request.serializingData().value == expected)
        #expect(try await session.get("http://stub.test/").serializingString().value == "none")
    }

    @Test("A second Content-Encoding fails the request with a sentence that names the field and the option")
    func failed() async throws {
        let session = Session(transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish()] })
        let response = await session.post(
            "http://stub.test/", parameters: ["a": "b"], headers: ["content-encoding": "br"], interceptor: .deflateCompressor
        ).serializingData().response
        let error = try #require(response.error?.asFirewheelError)
        #expect(error.kind == .requestAdaptationFailed)
        #expect(error.underlyingError is DeflateRequestCompressor.DuplicateHeaderError)
        let text = "the request has a Content-Encoding already (choose what to do with duplicateHeaderBehavior: .replace or .skip)"
        #expect(error.description.contains(text), "\(error)")
    }
}

/// A body that is not read.
private struct UnreadBody: BodyStream {
    let length: Int64?
    let isRepeatable = true

    func makeReader() -> any BodyReader { Reader() }

    private final class Reader: BodyReader {
        func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) { answer(.end()) }
        func close() {}
    }
}
