import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Uploads of data, files, streams and async sequences: what the server receives.
@Suite("Uploads", .timeLimit(.minutes(5)))
struct UploadTests {
    @Test("The server receives the body, byte for byte", arguments: UploadKind.allCases)
    func body(_ kind: UploadKind) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let session = Session()
        for size in [0, 1, 1_000, 200_000] {
            server.enqueue(.text("taken"))
            let body = UploadKind.pattern(size)
            let text = try await kind.upload(body, to: server.url(), in: session, folder: folder).serializingString().value
            let seen = try await server.takeRequest()
            #expect(text == "taken" && seen.method == "POST" && seen.body == body, "\(size) bytes")
            #expect(seen.header("Content-Length") == (kind.hasLength ? "\(size)" : nil), "\(size) bytes")
            #expect(seen.header("Transfer-Encoding") == (kind.hasLength ? nil : "chunked"), "\(size) bytes")
            #expect(seen.header("Content-Type") == nil)
        }
    }

    @Test("An upload is sent with a URLRequest's URL, method and fields")
    func withRequest() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let file = try folder.file("a", holding: "file")
        let session = Session()
        var request = URLRequest(url: try #require(URL(string: server.url("/put"))))
        request.method = .put
        request.headers.add(.contentType("text/plain"))
        let uploads = [
            session.upload(Data("data".utf8), with: request), session.upload(file, with: request),
            session.upload(InputStream(data: Data("stream".utf8)), with: request),
            session.upload(UploadKind.pieces(of: Data("sequence".utf8)), length: 8, with: request),
        ]
        for (upload, text) in zip(uploads, ["data", "file", "stream", "sequence"]) {
            server.enqueue(.text("x"))
            _ = try await upload.serializingData().value
            let seen = try await server.takeRequest()
            #expect(seen.method == "PUT" && seen.path == "/put" && seen.bodyText == text && seen.header("Content-Type") == "text/plain")
        }
    }

    @Test("The body of a URLRequest is ignored", arguments: [nil, DeflateRequestCompressor(coding: .gzip)])
    func ignoredBody(_ compressor: DeflateRequestCompressor?) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let file = try folder.file("a", holding: "text")
        let session = Session()
        let url = try #require(URL(string: server.url()))
        for hasStream in [false, true] {
            func request() -> URLRequest {
                var request = URLRequest(url: url)
                request.method = .put
                request.httpBody = hasStream ? nil : Data("other".utf8)
                if hasStream { request.httpBodyStream = InputStream(data: Data("other".utf8)) }
                return request
            }
            let form = MultipartFormData(boundary: "x")
            let uploads = [
                session.upload(Data("text".utf8), with: request(), interceptor: compressor),
                session.upload(file, with: request(), interceptor: compressor),
                session.upload(InputStream(data: Data("text".utf8)), with: request(), interceptor: compressor),
                session.upload(UploadKind.pieces(of: Data("text".utf8)), with: request(), interceptor: compressor),
                session.upload(multipartFormData: form, with: request(), interceptor: compressor),
            ]
            for upload in uploads {
                server.enqueue(.text("x"))
                _ = try await upload.serializingData().value
                let seen = try await server.takeRequest()
                let text = seen.header("Content-Type") == nil ? "text" : "--x--\r\n"
                let isWhole = compressor == nil ? seen.bodyText == text : seen.body.starts(with: [0x1F, 0x8B])
                #expect(isWhole && seen.headerValues("Content-Encoding") == (compressor == nil ? [] : ["gzip"]))
            }
        }
    }

    @Test("The body is the upload's also if an adapter returns a new request, unless that has a body of its own")
    func newRequest() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let file = try folder.file("a", holding: "text")
        let session = Session()
        /// A request with the same URL and method, and with the same fields if wanted.
        struct Renewal: RequestInterceptor {
            let keepsFields: Bool
            var body: Data?
            func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
                guard let url = urlRequest.url else { return urlRequest }
                var request = URLRequest(url: url)
                request.method = urlRequest.method
                if keepsFields { request.headers = urlRequest.headers }
                request.httpBody = body
                return request
            }
        }
        for keepsFields in [true, false] {
            let renewal = Renewal(keepsFields: keepsFields)
            let uploads = [
                session.upload(Data("text".utf8), to: server.url(), interceptor: renewal),
                session.upload(file, to: server.url(), interceptor: renewal),
                session.upload(InputStream(data: Data("text".utf8)), to: server.url(), trailers: ["X-Sum": "1"], interceptor: renewal),
                session.upload(multipartFormData: MultipartFormData(boundary: "x"), to: server.url(), interceptor: renewal),
            ]
            for (number, upload) in uploads.enumerated() {
                server.enqueue(.text("x"))
                _ = try await upload.serializingData().value
                let seen = try await server.takeRequest()
                #expect(seen.bodyText == (number == 3 ? "--x--\r\n" : "text"), "\(number)")
                #expect(seen.header("Trailer") == (number == 2 ? "X-Sum" : nil))
                #expect(seen.header("Content-Type") == (number == 3 ? "multipart/form-data; boundary=x" : nil))
            }
            // A compressed body keeps its coding, wherever the adapters are.
            let compressor = DeflateRequestCompressor(coding: .gzip)
            for interceptors in [[compressor, renewal], [.interceptor(adapters: [compressor, renewal])]] as [[any RequestInterceptor]] {
                let upload = session.upload(Data("text".utf8), to: server.url())
                for interceptor in interceptors { upload.interceptor(interceptor) }
                server.enqueue(.text("x"))
                _ = try await upload.serializingData().value
                let seen = try await server.takeRequest()
                #expect(seen.body.starts(with: [0x1F, 0x8B]) && seen.headerValues("Content-Encoding") == ["gzip"])
            }
            for own in ["own", ""] {
                server.enqueue(.text("x"))
                let renewal = Renewal(keepsFields: keepsFields, body: Data(own.utf8))
                _ = try await session.upload(Data("text".utf8), to: server.url(), interceptor: renewal).serializingData().value
                #expect(try await server.takeRequest().bodyText == own)
            }
        }
    }

    @Test("Trailer fields are announced and sent behind the body, and those of the response are reported")
    func trailers() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.exchange("/trailers") { exchange in
            _ = try exchange.readAll()
            try exchange.sendHead(headers: [("Transfer-Encoding", "chunked")])
            try exchange.sendChunk(Data("body".utf8))
            try exchange.endChunks(trailers: [("Checksum", "abc")])
        }
        var configuration = SessionConfiguration.default
        configuration.expectsContinue = .never
        let session = Session(configuration: configuration)
        // The length is known, but only chunks have a place for trailers.
        for length in [4, nil] as [Int64?] {
            let response = await session.upload(
                UploadKind.pieces(of: Data("body".utf8)), length: length, to: server.url("/trailers"),
                trailers: ["X-Sum": "1", "X-Other": "2"]
            ).serializingData().response
            let seen = try await server.takeRequest()
            #expect(
                seen.header("Trailer") == "X-Sum, X-Other" && seen.trailerLines == ["X-Sum: 1", "X-Other: 2"] && seen.bodyText == "body")
            #expect(response.trailers["Checksum"] == "abc" && response.value == Data("body".utf8))
        }
        let failed = await session.upload(InputStream(data: Data()), to: server.url(), trailers: ["A": "x\r\ny"]).serializingData().response
        #expect(failed.error?.firewheel?.kind == .invalidHeader)
    }

    @Test("A body with GET or HEAD is refused, an empty one is none", arguments: [HTTPMethod.get, .head])
    func withoutBody(_ method: HTTPMethod) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let session = Session()
        for kind in UploadKind.allCases {
            let response = try await kind.upload(Data("x".utf8), to: server.url(), in: session, folder: folder, method: method)
                .serializingData().response
            #expect(
                response.error?.firewheel?.kind
                    == .urlRequestValidationFailed(method == .get ? .bodyDataInGETRequest : .bodyDataInHEADRequest), "\(kind)")
        }
        server.enqueue(.status(204))
        let empty = await session.upload(Data(), to: server.url(), method: method).serializingData().response
        #expect(empty.statusCode == 200 || empty.statusCode == 204)
    }

    @Test("A file that is missing, a folder, or not a file's URL is an error, and nothing is sent")
    func badFiles() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let session = Session()
        let fifo = folder.file("fifo")
        #expect(mkfifo(fifo.path, 0o600) == 0)
        for bad in [folder.file("missing"), folder.url, fifo, try #require(URL(string: "https://example.com/file"))] {
            let response = await session.upload(bad, to: server.url()).serializingData().response
            #expect(response.error?.firewheel?.kind == .uploadBodyFailed(.fileReadFailed), "\(bad)")
        }
        #expect(server.requestCount == 0)
    }

    @Test("The error that a stream or an async sequence ends with is the request's")
    func failingBodies() async throws {
        struct Broken: Error {}
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/") { _ in .text("x") }
        let session = Session()
        let sequence = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("some".utf8))
            continuation.finish(throwing: Broken())
        }
        let response = await session.upload(sequence, to: server.url()).serializingData().response
        #expect(response.error?.firewheel?.kind == .uploadBodyFailed(.streamFailed))
        #expect(response.error?.firewheel?.underlyingError is Broken)
        for length in [0, 3, 5] as [Int64] {
            let sequence = await session.upload(UploadKind.pieces(of: Data("body".utf8)), length: length, to: server.url())
                .serializingData().response
            #expect(sequence.error?.firewheel?.kind == .uploadBodyFailed(.lengthMismatch), "\(length)")
            let stream = await session.upload(InputStream(data: Data("body".utf8)), length: length, to: server.url())
                .serializingData().response
            #expect(stream.error?.firewheel?.kind == .uploadBodyFailed(.lengthMismatch), "\(length)")
        }
    }

    @Test("Adapters see and change the data of an upload, and add fields to others")
    func adapted() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let session = Session()
        server.enqueue(.text("x"), .text("x"))
        _ = try await session.upload(Data("data".utf8), to: server.url()).adapt { request, _ in
            request.httpBody = (request.httpBody ?? Data()) + Data("!".utf8)
        }.serializingData().value
        #expect(try await server.takeRequest().bodyText == "data!")
        let file = try folder.file("a", holding: "file")
        _ = try await session.upload(file, to: server.url()).adapt { request, _ in request.headers.add(name: "X-Added", value: "1") }
            .serializingData().value
        let seen = try await server.takeRequest()
        #expect(seen.bodyText == "file" && seen.header("X-Added") == "1")
    }

    @Test("A stream that blocks holds up no other request, and a cancel does not wait for it")
    func blockedStream() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/") { _ in .text("x") }
        let session = Session()
        let gate = DispatchSemaphore(value: 0)
        let upload = session.upload(BlockedStream(gate), to: server.url())
        let task = upload.serializingData()
        _ = await server.waitForOpenConnections(1)
        #expect(try await session.request(server.url()).serializingString().value == "x")
        upload.cancel()
        #expect(await task.response.error?.firewheel?.kind == .explicitlyCancelled)
        gate.signal()
    }
}

/// A stream whose read waits.
private final class BlockedStream: InputStream {
    private let gate: DispatchSemaphore

    init(_ gate: DispatchSemaphore) {
        self.gate = gate
        super.init(data: Data())
    }

    override func open() {}
    override func close() {}
    override var hasBytesAvailable: Bool { true }
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
        gate.wait()
        return 0
    }
}
