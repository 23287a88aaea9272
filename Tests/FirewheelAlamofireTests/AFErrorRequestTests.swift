import FirewheelAlamofire
import FirewheelTesting
import Testing

/// The errors of real requests. The sessions are Firewheel's own, whose errors those of Alamofire's are made of.
@Suite("AFError: of requests", .timeLimit(.minutes(5)))
struct AFErrorRequestTests {
    private typealias Cause = AFErrorTests.Cause

    private struct OwnEncoding: ParameterEncoding {
        let error: any Error
        func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest { throw error }
    }

    private struct OwnRequest: URLRequestConvertible {
        let error: any Error
        func asURLRequest() throws -> URLRequest { throw error }
    }

    private final class Folder: Sendable {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("h1-\(UUID().uuidString)")
        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: url) }

        func file(_ name: String) -> URL { url.appendingPathComponent(name) }
    }

    private let server: MockServer
    private let session = Firewheel.Session()

    init() throws {
        server = try MockServer()
        server.route("/text") { _ in .text("text") }
        server.route("/latin") { _ in MockResponse(headers: [("Content-Type", "text/plain; charset=utf-8")], body: Data([0xFF])) }
        server.route("/empty") { _ in MockResponse() }
        server.route("/missing") { _ in .text("no", status: 404) }
        server.route("/cut") { _ in MockResponse.data(Data(count: 1_000), headers: [("ETag", "\"1\"")]).failing(.bodyShorter(by: 500)) }
    }

    private func failure(_ request: Firewheel.DataRequest) async throws -> AFError {
        defer { server.shutdown() }
        return try #require(await request.serializingString().response.error?.asAFError)
    }

    @Test("A server that cannot be reached is a URLError, with Firewheel's explanation")
    func transport() async throws {
        let url = "http://127.0.0.1:\(server.port)/a?token=hunter2"
        server.shutdown()
        let error = try #require(await session.request(url).serializingString().response.error?.asAFError)
        let cause = try #require(error.underlyingError as? URLError)
        #expect(error.isSessionTaskError && cause.code == .cannotConnectToHost)
        #expect(cause.userInfo[NSUnderlyingErrorKey] is TransportFailure && error.firewheelError?.isConnectivity == true)
        #expect(error.localizedDescription.contains("connection refused") && !error.localizedDescription.contains("hunter2"))
    }

    @Test("A timeout is timedOut")
    func timeout() async throws {
        server.exchange("/slow") { _ = $0.waitForDisconnection() }
        let request = session.request(server.url("/slow")) { $0.timeoutInterval = 0.2 }
        #expect((try await failure(request).underlyingError as? URLError)?.code == .timedOut)
    }

    @Test("An invalid URL is the URL as it was written", arguments: ["", "/relative", "http://", "ftp://a/", "http://user:pw@[/"])
    func invalidURL(url: String) async throws {
        let error = try await failure(session.request(url))
        #expect(error.isInvalidURLError && error.urlConvertible as? String == url && !error.localizedDescription.contains("pw"))
    }

    @Test("A GET with a body has it as payload")
    func bodyInGET() async throws {
        var request = URLRequest(url: try server.url("/text").asURL())
        request.httpBody = Data("abc".utf8)
        for request in [
            session.request(request), session.request(server.url("/text")) { $0.httpBody = Data("abc".utf8) },
        ] {
            let error = await request.serializingString().response.error?.asAFError
            guard case .urlRequestValidationFailed(.bodyDataInGETRequest(let body)) = error else { throw error ?? .explicitlyCancelled }
            #expect(body == Data("abc".utf8))
        }
        server.shutdown()
    }

    @Test("Cancelling, and a session that is gone")
    func ends() async throws {
        let request = session.request(server.url("/text"))
        request.cancel()
        #expect(try await failure(request).isExplicitlyCancelledError)
        let other = Firewheel.Session()
        other.invalidate()
        #expect(await other.request(server.url("/text")).serializingString().response.error?.asAFError?.isSessionDeinitializedError == true)
    }

    @Test("Errors of URLRequestConvertible, a modifier and an encoding")
    func creation() async throws {
        let own = AFError.parameterEncodingFailed(reason: .missingURL)
        for (error, isOwn) in [(Cause() as any Error, false), (own, true)] {
            let requests = [
                session.request(OwnRequest(error: error)), session.request(server.url("/text")) { _ in throw error },
                session.request(server.url("/text"), parameters: ["a": 1], encoding: OwnEncoding(error: error)),
            ]
            for request in requests {
                let failure = try #require(await request.serializingString().response.error?.asAFError)
                #expect(failure.isCreateURLRequestError != isOwn && failure.isParameterEncodingError == isOwn, "\(failure)")
                #expect(isOwn || failure.underlyingError as? Cause == Cause())
            }
        }
        server.shutdown()
    }

    @Test("Parameters that cannot be encoded")
    func parameters() async throws {
        defer { server.shutdown() }
        let url = server.url("/text")
        let json = await session.request(url, method: .post, parameters: ["a": Double.nan], encoder: .json).serializingString().response
        #expect(json.error?.asAFError?.isParameterEncodingError == true && json.error?.asAFError?.underlyingError is EncodingError)
        let form = await session.request(url, parameters: [1], encoder: .urlEncodedForm).serializingString().response
        #expect(form.error?.asAFError?.isParameterEncoderError == true)
        #expect(form.error?.asAFError?.underlyingError as? ParameterFailure == .rootNotKeyed)
    }

    @Test("An adapter's error is wrapped, also an AFError")
    func adaptation() async throws {
        let error = try await failure(session.request(server.url("/text"), interceptor: .adapter { _, _ in throw Cause() }))
        #expect(error.isRequestAdaptationError && error.underlyingError as? Cause == Cause())
        let own = await session.request(
            server.url("/text"), interceptor: .adapter { _, _ in throw AFError.invalidURL(url: "x") }
        ).serializingString().response.error?.asAFError
        #expect(own?.isRequestAdaptationError == true && own?.underlyingError?.asAFError?.isInvalidURLError == true)
    }

    @Test("A retrier's error comes with the original one")
    func retry() async throws {
        let retrier: any Firewheel.RequestInterceptor = .retrier { _, _ in .doNotRetryWithError(Cause()) }
        let error = try await failure(session.request(server.url("/missing"), interceptor: retrier).validate())
        guard case .requestRetryFailed(let retryError, let originalError) = error else { throw error }
        #expect(retryError as? Cause == Cause() && (originalError as? AFError)?.responseCode == 404)
    }

    @Test("Validations")
    func validation() async throws {
        defer { server.shutdown() }
        func failure(_ request: Firewheel.DataRequest) async throws -> AFError {
            try #require(await request.serializingString().response.error?.asAFError)
        }
        #expect(try await failure(session.request(server.url("/missing")).validate()).responseCode == 404)
        let type = try await failure(session.request(server.url("/text")).validate(contentType: ["application/json"]))
        #expect(type.acceptableContentTypes == ["application/json"] && type.responseContentType == "text/plain")
        let custom = try await failure(session.request(server.url("/text")).validate { _, _, _ in .failure(Cause()) })
        #expect(custom.isResponseValidationError && custom.underlyingError as? Cause == Cause())
        let own = try await failure(
            session.request(server.url("/text")).validate { _, _, _ in
                .failure(AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: 999)))
            })
        #expect(own.responseCode == 999)
    }

    @Test("Serializers")
    func serialization() async throws {
        defer { server.shutdown() }
        let text = session.request(server.url("/text"))
        let decoding = await text.serializingDecodable(Int.self).response.error?.asAFError
        #expect(decoding?.isResponseSerializationError == true && decoding?.underlyingError is DecodingError)
        let json = await text.serializingJSON().response.error?.asAFError
        guard case .responseSerializationFailed(.jsonSerializationFailed(let cause)) = json else { throw Cause() }
        #expect((cause as? CocoaError)?.code == .propertyListReadCorrupt)
        let string = await session.request(server.url("/latin")).serializingString().response.error?.asAFError
        #expect(string?.failedStringEncoding == .utf8)
        guard
            case .responseSerializationFailed(.inputDataNilOrZeroLength) =
                await session.request(server.url("/empty")).serializingData().response.error?.asAFError
        else { throw Cause() }
    }

    @Test("A downloaded file that cannot be moved has its places, and FileManager's error")
    func move() async throws {
        defer { server.shutdown() }
        let folder = try Folder()
        let target = folder.file("a.txt")
        func download(_ destination: URL) async throws -> (AFError, FirewheelError.DownloadedFileMove) {
            let request = session.download(server.url("/text"), to: { _, _ in (destination, []) })
            let error = try #require(await request.serializingDownloadedFileURL().response.error)
            return (try #require(error.asAFError), try #require(error.asFirewheelError?.downloadedFileMove))
        }
        try Data("x".utf8).write(to: target)
        let (exists, move) = try await download(target)
        #expect(exists.isDownloadedFileMoveError && exists.destinationURL == target && exists.sourceURL == move.source)
        #expect((exists.underlyingError as? CocoaError)?.code == .fileWriteFileExists)
        #expect(move.destination == target && move.reason == .fileExists && move.systemError == .EEXIST)
        #expect(exists.firewheelError?.kind == .downloadedFileMoveFailed)
        let (missing, place) = try await download(folder.file("nowhere/a.txt"))
        #expect((missing.underlyingError as? CocoaError)?.code == .fileNoSuchFile && place.reason == .folderMissing)
        let (below, part) = try await download(target.appendingPathComponent("b.txt"))
        #expect(below.isDownloadedFileMoveError && part.reason == .systemCallFailed && part.systemError == .ENOTDIR)
        let (folderExists, there) = try await download(folder.url)
        #expect((folderExists.underlyingError as? CocoaError)?.code == .fileWriteFileExists && there.reason == .folderExists)
        let (web, invalid) = try await download(try #require(URL(string: "http://user:hunter2@localhost/a")))
        #expect(invalid.reason == .notAFileURL && !web.localizedDescription.contains("hunter2"))
        #expect(!missing.localizedDescription.isEmpty && missing.localizedDescription.contains("nowhere"))
    }

    @Test("A failed download's error has its resume data, also after a retrier's error")
    func resumeData() async throws {
        defer { server.shutdown() }
        let plain = await session.download(server.url("/cut")).serializingData().response
        #expect(plain.resumeData != nil && plain.error?.asAFError?.downloadResumeData == plain.resumeData)
        #expect(plain.error?.asAFError?.isSessionTaskError == true)
        let retrier: any Firewheel.RequestInterceptor = .retrier { _, _ in .doNotRetryWithError(Cause()) }
        let retried = await session.download(server.url("/cut"), interceptor: retrier).serializingData().response
        #expect(retried.error?.asAFError?.isRequestRetryError == true)
        #expect(retried.resumeData != nil && retried.error?.asAFError?.downloadResumeData == retried.resumeData)
    }

    @Test("A downloaded file that a validation has removed cannot be read")
    func unreadable() async throws {
        defer { server.shutdown() }
        let folder = try Folder()
        let target = folder.file("a.txt")
        let serializer = DownloadSerializerThatRemoves(target: target)
        let request = session.download(server.url("/text"), to: { _, _ in (target, []) })
        let first = request.serializingDownload(using: serializer)
        let second = request.serializingString()
        #expect(await first.response.error == nil)
        guard case .responseSerializationFailed(.inputFileReadFailed(target)) = await second.response.error?.asAFError else {
            throw Cause()
        }
    }

    @Test("Uploads of a file that is not there, and forms")
    func uploads() async throws {
        defer { server.shutdown() }
        let missing = try Folder().file("nowhere.txt")
        let file = await session.upload(missing, to: server.url("/text")).serializingString().response.error?.asAFError
        #expect(file?.isCreateUploadableError == true && file?.firewheelError?.kind == .uploadBodyFailed(.fileReadFailed))
        let part = await session.upload(
            multipartFormData: { $0.append(missing, withName: "a") }, to: server.url("/text")
        ).serializingString().response.error?.asAFError
        #expect(part?.isMultipartEncodingError == true && part?.url == missing)
        let form = Firewheel.MultipartFormData()
        form.append(InputStream(data: Data("abc".utf8)), withLength: 2, headers: ["Content-Disposition": "form-data; name=\"a\""])
        let short = #expect(throws: FirewheelError.self) { try form.encode() }
        let length = try #require(short?.asAFError?.underlyingError as? AFError.UnexpectedInputStreamLength)
        #expect(length.bytesExpected == 2 && length.bytesRead == 3)
    }

    @Test("A stream's handler that throws")
    func stream() async throws {
        defer { server.shutdown() }
        let request = session.streamRequest(server.url("/text"))
        let (errors, continuation) = AsyncStream.makeStream(of: (any Error)?.self)
        request.responseStream(queue: .global()) { stream in
            switch stream.event {
            case .stream: throw Cause()
            case .complete(let completion):
                continuation.yield(completion.error)
                continuation.finish()
            }
        }
        for await error in errors {
            #expect(error?.asAFError?.isResponseSerializationError == true && error?.asAFError?.underlyingError as? Cause == Cause())
        }
    }
}

/// Removes the file before another serializer reads it.
private struct DownloadSerializerThatRemoves: Firewheel.DownloadResponseSerializerProtocol {
    let target: URL

    var serializeDownloadResponse: @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<Bool, any Error> {
        { [target] _, _, _, _ in Result { try FileManager.default.removeItem(at: target) }.map { true } }
    }
}
