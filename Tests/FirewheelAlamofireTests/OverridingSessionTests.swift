import FirewheelAlamofire
import FirewheelTesting
import Testing

/// A subclass that overrides every method that makes requests.
private final class OverridingSession: Session, @unchecked Sendable {
    /// The overridden methods in the order in which they were entered.
    let journal = Journal<String>()

    override func request(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        journal.add("request: URL, encoding")
        return super.request(
            convertible, method: method, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            shouldAutomaticallyResume: shouldAutomaticallyResume, requestModifier: requestModifier)
    }

    override func request<Value: Encodable & Sendable>(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Value? = nil,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        journal.add("request: URL, encoder")
        return super.request(
            convertible, method: method, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            shouldAutomaticallyResume: shouldAutomaticallyResume, requestModifier: requestModifier)
    }

    override func request(
        _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil
    ) -> DataRequest {
        journal.add("request: request")
        return super.request(convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
    }

    override func streamRequest<Value: Encodable & Sendable>(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Value? = nil,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
        automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, requestModifier: RequestModifier? = nil
    ) -> DataStreamRequest {
        journal.add("streamRequest: URL, encoder")
        return super.streamRequest(
            convertible, method: method, parameters: parameters, encoder: encoder, headers: headers,
            automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, interceptor: interceptor,
            shouldAutomaticallyResume: shouldAutomaticallyResume, requestModifier: requestModifier)
    }

    override func streamRequest(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders? = nil,
        automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, requestModifier: RequestModifier? = nil
    ) -> DataStreamRequest {
        journal.add("streamRequest: URL")
        return super.streamRequest(
            convertible, method: method, headers: headers, automaticallyCancelOnStreamError: automaticallyCancelOnStreamError,
            interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume, requestModifier: requestModifier)
    }

    override func streamRequest(
        _ convertible: any URLRequestConvertible, automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil
    ) -> DataStreamRequest {
        journal.add("streamRequest: request")
        return super.streamRequest(
            convertible, automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, interceptor: interceptor,
            shouldAutomaticallyResume: shouldAutomaticallyResume)
    }

    override func download(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, requestModifier: RequestModifier? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        journal.add("download: URL, encoding")
        return super.download(
            convertible, method: method, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            shouldAutomaticallyResume: shouldAutomaticallyResume, requestModifier: requestModifier, to: destination)
    }

    override func download<Value: Encodable & Sendable>(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Value? = nil,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, requestModifier: RequestModifier? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        journal.add("download: URL, encoder")
        return super.download(
            convertible, method: method, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            shouldAutomaticallyResume: shouldAutomaticallyResume, requestModifier: requestModifier, to: destination)
    }

    override func download(
        _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        journal.add("download: request")
        return super.download(convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume, to: destination)
    }

    override func download(
        resumingWith data: Data, interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        journal.add("download: resume data")
        return super.download(
            resumingWith: data, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume, to: destination)
    }

    override func upload(
        _ data: Data, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        journal.add("upload: data to")
        return super.upload(
            data, to: convertible, method: method, headers: headers, interceptor: interceptor,
            shouldAutomaticallyResume: shouldAutomaticallyResume, fileManager: fileManager, requestModifier: requestModifier)
    }

    override func upload(
        _ data: Data, with convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default
    ) -> UploadRequest {
        journal.add("upload: data with")
        return super.upload(
            data, with: convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume,
            fileManager: fileManager)
    }

    override func upload(
        _ fileURL: URL, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        journal.add("upload: file to")
        return super.upload(
            fileURL, to: convertible, method: method, headers: headers, interceptor: interceptor,
            shouldAutomaticallyResume: shouldAutomaticallyResume, fileManager: fileManager, requestModifier: requestModifier)
    }

    override func upload(
        _ fileURL: URL, with convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default
    ) -> UploadRequest {
        journal.add("upload: file with")
        return super.upload(
            fileURL, with: convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume,
            fileManager: fileManager)
    }

    override func upload(
        _ stream: InputStream, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        journal.add("upload: stream to")
        return super.upload(
            stream, to: convertible, method: method, headers: headers, interceptor: interceptor,
            shouldAutomaticallyResume: shouldAutomaticallyResume, fileManager: fileManager, requestModifier: requestModifier)
    }

    override func upload(
        _ stream: InputStream, with convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default
    ) -> UploadRequest {
        journal.add("upload: stream with")
        return super.upload(
            stream, with: convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume,
            fileManager: fileManager)
    }

    override func upload(
        multipartFormData: @escaping (MultipartFormData) -> Void, to url: any URLConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = MultipartFormData.encodingMemoryThreshold, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        journal.add("upload: closure to")
        return super.upload(
            multipartFormData: multipartFormData, to: url, usingThreshold: encodingMemoryThreshold, method: method, headers: headers,
            interceptor: interceptor, fileManager: fileManager, requestModifier: requestModifier)
    }

    override func upload(
        multipartFormData: @escaping (MultipartFormData) -> Void, with request: any URLRequestConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = MultipartFormData.encodingMemoryThreshold,
        interceptor: (any RequestInterceptor)? = nil, fileManager: FileManager = .default
    ) -> UploadRequest {
        journal.add("upload: closure with")
        return super.upload(
            multipartFormData: multipartFormData, with: request, usingThreshold: encodingMemoryThreshold, interceptor: interceptor,
            fileManager: fileManager)
    }

    override func upload(
        multipartFormData: MultipartFormData, to url: any URLConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = MultipartFormData.encodingMemoryThreshold, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
        fileManager: FileManager = .default, requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        journal.add("upload: form to")
        return super.upload(
            multipartFormData: multipartFormData, to: url, usingThreshold: encodingMemoryThreshold, method: method, headers: headers,
            interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume, fileManager: fileManager,
            requestModifier: requestModifier)
    }

    override func upload(
        multipartFormData: MultipartFormData, with request: any URLRequestConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = MultipartFormData.encodingMemoryThreshold,
        interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default
    ) -> UploadRequest {
        journal.add("upload: form with")
        return super.upload(
            multipartFormData: multipartFormData, with: request, usingThreshold: encodingMemoryThreshold, interceptor: interceptor,
            shouldAutomaticallyResume: shouldAutomaticallyResume, fileManager: fileManager)
    }
}

@Suite("A session whose methods are all overridden", .timeLimit(.minutes(2)))
struct OverridingSessionTests {
    @Test("Every method is reached, those with a URL call the one with a request, and all requests are answered")
    func all() async throws {
        let server = try MockServer.usual()
        let (session, folder) = (OverridingSession(), FileManager.default.temporaryDirectory)
        let (get, post) = (try URLRequest(url: server.url("/user"), method: .get), try URLRequest(url: server.url("/user"), method: .post))
        let file = folder.appendingPathComponent("\(UUID())")
        try Data("x".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        func add(_ form: MultipartFormData) { form.append(Data("x".utf8), withName: "x") }
        func form() -> MultipartFormData {
            let form = MultipartFormData()
            add(form)
            return form
        }
        func stream() -> InputStream { InputStream(data: Data("x".utf8)) }
        let url = server.url("/user")
        let requests: [Request] = [
            session.request(url), session.request(url, parameters: ["a": "b"], encoder: .urlEncodedForm), session.request(get),
            session.streamRequest(url), session.streamRequest(url, parameters: ["a": "b"]), session.streamRequest(get),
            session.download(url), session.download(url, parameters: ["a": "b"], encoder: .urlEncodedForm), session.download(get),
            session.upload(Data("x".utf8), to: url), session.upload(Data("x".utf8), with: post),
            session.upload(file, to: url), session.upload(file, with: post),
            session.upload(stream(), to: url), session.upload(stream(), with: post),
            session.upload(multipartFormData: add, to: url), session.upload(multipartFormData: add, with: post),
            session.upload(multipartFormData: form(), to: url), session.upload(multipartFormData: form(), with: post),
        ]
        let broken = session.download(resumingWith: Data("no resume data".utf8))
        for request in requests {
            switch request {
            case let request as DataRequest: #expect(await request.serializingData().response.value == Data(#"{"name":"Ada"}"#.utf8))
            case let request as DownloadRequest: #expect(await request.serializingData().response.value == Data(#"{"name":"Ada"}"#.utf8))
            case let request as DataStreamRequest:
                var text = ""
                for await part in request.streamTask().streamingStrings() { text += part.value ?? "" }
                #expect(text == #"{"name":"Ada"}"#)
            default: Issue.record("\(request)")
            }
        }
        #expect(await broken.serializingData().response.error != nil)
        #expect(
            session.journal.elements == [
                "request: URL, encoding", "request: request",
                "request: URL, encoder", "request: request",
                "request: request",
                "streamRequest: URL", "streamRequest: request",
                "streamRequest: URL, encoder", "streamRequest: request",
                "streamRequest: request",
                "download: URL, encoding", "download: request",
                "download: URL, encoder", "download: request",
                "download: request",
                "upload: data to", "upload: data with",
                "upload: data with",
                "upload: file to", "upload: file with",
                "upload: file with",
                "upload: stream to", "upload: stream with",
                "upload: stream with",
                "upload: closure to", "upload: form to", "upload: form with",
                "upload: closure with", "upload: form with",
                "upload: form to", "upload: form with",
                "upload: form with",
                "download: resume data",
            ])
        server.shutdown()
    }
}
