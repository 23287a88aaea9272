import FirewheelTesting
import Foundation
import Testing

@testable import FirewheelAlamofire

@Suite("DeflateRequestCompressor", .timeLimit(.minutes(5)))
struct RequestCompressionTests {
    private let sessions = TestSessions()
    private let stub = StubTransport.text("fine")
    private let parameters = ["text": String(repeating: "hello ", count: 100)]

    private func send(_ compressor: DeflateRequestCompressor, headers: HTTPHeaders = [:]) async -> AFDataResponse<String> {
        await sessions(stub).request(
            "http://stub.test/", method: .post, parameters: parameters, encoder: JSONParameterEncoder.default, headers: headers,
            interceptor: compressor
        ).serializingString().response
    }

    /// A zlib stream begins with 0x78 and ends with the checksum of the content (RFC 1950 section 2.2).
    private var isCompressed: Bool { stub.requests.last?.body?.first == 0x78 }

    @Test("The body is compressed, and the field says so")
    func compressed() async {
        for compressor in [DeflateRequestCompressor(), .deflateCompressor, .deflateCompressor()] {
            #expect(await send(compressor).value == "fine")
            #expect(isCompressed && stub.requests.last?.headers["Content-Encoding"] == "deflate")
        }
    }

    @Test("A Content-Encoding that is there already is an error, replaced, or a reason to do nothing")
    func duplicates() async {
        let headers: HTTPHeaders = [.contentEncoding("br")]
        let error = await send(.deflateCompressor, headers: headers).error
        #expect(error?.isRequestAdaptationError == true)
        #expect(error?.underlyingError is DeflateRequestCompressor.DuplicateHeaderError)
        #expect(stub.requests.isEmpty)
        #expect(await send(.deflateCompressor(duplicateHeaderBehavior: .replace), headers: headers).value == "fine")
        #expect(isCompressed && stub.requests.last?.headers.filter { $0.name == "Content-Encoding" }.map(\.value) == ["deflate"])
        #expect(await send(.deflateCompressor(duplicateHeaderBehavior: .skip), headers: headers).value == "fine")
        #expect(!isCompressed && stub.requests.last?.headers["Content-Encoding"] == "br")
    }

    @Test("A closure decides about bodies")
    func closure() async {
        #expect(await send(.deflateCompressor { $0.count > 10_000 }).value == "fine")
        #expect(!isCompressed && stub.requests.last?.headers["Content-Encoding"] == nil)
    }

    @Test("It completes at once, and leaves requests without a body alone")
    func atOnce() throws {
        let session = sessions(stub)
        let request = try URLRequest(url: "http://stub.test/", method: .post)
        let results = Notes<URLRequest?>()
        DeflateRequestCompressor().adapt(request, for: session) { results.add(try? $0.get()) }
        #expect(results.all == [request])
    }
}
