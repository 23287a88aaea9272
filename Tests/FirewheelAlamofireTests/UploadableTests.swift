import FirewheelAlamofire
import FirewheelTesting
import Testing

/// What `uploadable` says of uploads of data, files and streams.
@Suite("Upload: uploadable", .timeLimit(.minutes(5)))
struct UploadableTests {
    private let server: MockServer
    private let session = Session()

    init() throws {
        server = try MockServer()
        server.route("/echo") { .data($0.body) }
    }

    @Test("Data, files and streams are known once the request is made")
    func kinds() async throws {
        let folder = try MultipartFormDataTests.Folder()
        let file = try folder.file("body.txt", holding: "file")
        let stream = InputStream(data: Data("stream".utf8))
        let requests = [
            session.upload(Data("data".utf8), to: server.url("/echo")), session.upload(file, to: server.url("/echo")),
            session.upload(stream, to: server.url("/echo")),
        ]
        for (request, sent) in zip(requests, ["data", "file", "stream"]) {
            #expect(request.uploadable == nil)
            #expect(try await request.serializingString().value == sent)
            switch (try request.upload.createUploadable(), request.uploadable) {
            case (.data(let one), .data(let other)?): #expect(sent == "data" && one == other)
            case (.file(let one, false), .file(let other, false)?): #expect(sent == "file" && one == file && other == file)
            case (.stream(let one), .stream(let other)?): #expect(sent == "stream" && one === stream && other === stream)
            default: Issue.record("\(request.uploadable as Any)")
            }
        }
        #expect(folder.names == ["body.txt"])
    }

    @Test("A request that cannot be made has none")
    func unmade() async throws {
        let request = session.upload(Data("data".utf8), to: "")
        let error = await request.serializingData().response.error
        guard case .invalidURL? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(request.uploadable == nil)
    }
}
