import FirewheelAlamofire
import FirewheelTesting
import Testing

/// Rows of Documentation/Migration/Alamofire5.md that no other test shows.
@Suite("What behaves differently from Alamofire 5", .timeLimit(.minutes(2)))
struct DifferenceTests {
    let server: MockServer
    let session = Session()

    init() throws { server = try .usual() }

    @Test("Releasing the completion handler of onHTTPResponse without a call cancels the request")
    func droppedDecision() async {
        let response = await session.request(server.url("/user")).onHTTPResponse(on: .global()) { _, _ in }.serializingData().response
        #expect(response.error?.isExplicitlyCancelledError == true)
    }

    @Test("A download that validation rejects is not moved to its destination")
    func rejectedDownload() async {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        let response = await session.download(server.url("/status/500"), to: { _, _ in (file, []) }).validate().serializingData().response
        #expect(response.error?.responseCode == 500 && response.fileURL == nil)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("A download asks for a body that is not compressed")
    func downloadedCoding() async throws {
        let text = try await session.download(server.url("/echo")).serializingString().value
        #expect(text.lowercased().contains("accept-encoding: identity"))
    }

    @Test("The Data of an upload is a body that adapters see and a compressor compresses")
    func compressedUpload() async throws {
        let data = Data(repeating: 97, count: 1_000)
        let text = try await session.upload(data, to: server.url("/echo"), interceptor: .deflateCompressor).serializingString().value
        #expect(text.lowercased().contains("content-encoding: deflate"))
        #expect(text.utf8.count < 1_000)
    }

    @Test("An upload with GET is refused as a body in GET is")
    func uploadByGET() async {
        let error = await session.upload(Data([1]), to: server.url("/echo"), method: .get).serializingData().response.error
        guard case .urlRequestValidationFailed(.bodyDataInGETRequest)? = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
    }

    @Test("Values of untyped parameters are encoded by the rules of Encodable, and those without a rule are an error")
    func untypedValues() async {
        enum Order: String, Codable { case ascending = "asc" }
        struct Unknown {}
        let parameters: Parameters = ["data": Data([1, 2, 3]), "null": NSNull(), "order": Order.ascending]
        let text = await session.request(server.url("/echo"), parameters: parameters).serializingString().response.value ?? ""
        #expect(text.hasPrefix("GET /echo?data=AQID&order=asc\n"))
        let error = await session.request(server.url("/echo"), parameters: ["a": Unknown()]).serializingData().response.error
        #expect(error?.isParameterEncodingError == true || error?.isParameterEncoderError == true)
    }

    @Test("The request of a task has the session's header fields, because it is what was sent")
    func fieldsOfTheSession() async {
        let request = session.request(server.url("/user"), headers: ["a": "b"])
        _ = await request.serializingData().response
        let fields = request.task?.originalRequest?.headers
        #expect(fields?["a"] == "b" && fields?["User-Agent"] != nil && fields?["Accept-Encoding"] != nil)
    }

    @Test("The elements of a list keep their order in a form")
    func orderOfElements() throws {
        let form: String = try URLEncodedFormEncoder(arrayEncoding: .noBrackets).encode(["b": [3, 1, 2], "a": [2, 1]])
        #expect(form == "a=2&a=1&b=3&b=1&b=2")
    }
}
