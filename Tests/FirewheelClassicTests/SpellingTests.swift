import FirewheelClassic
import FirewheelTesting
import Testing

/// Alamofire 4's names for what Firewheel spells differently.
@Suite("Alamofire 4's other spellings", .timeLimit(.minutes(5)))
struct SpellingTests {
    @Test("Header fields in a dictionary: requests, downloads, uploads and URLRequests")
    func headers() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("hello") }
        let headers: [String: String] = ["X-One": "1"]
        let optional: [String: String]? = headers
        let untyped: [String: Any] = ["a": 1]
        let manager = SessionManager.default
        _ = await manager.request(server.url("/1"), headers: headers).serializingString().response
        _ = await manager.request(server.url("/2"), method: .post, parameters: untyped, headers: optional).serializingString().response
        _ = await request(server.url("/3"), parameters: ["a": 1], headers: optional).serializingString().response
        _ = await Alamofire.request(server.url("/4"), headers: headers).serializingString().response
        let files = [
            try await manager.download(server.url("/5"), headers: headers).serializingDownloadedFileURL().value,
            try await Alamofire.download(server.url("/6"), headers: headers).serializingDownloadedFileURL().value,
            try await download(server.url("/7"), headers: headers).serializingDownloadedFileURL().value,
        ]
        let file = try #require(files.first)
        _ = await manager.upload(Data("x".utf8), to: server.url("/8"), headers: headers).serializingString().response
        _ = await manager.upload(file, to: server.url("/9"), headers: headers).serializingString().response
        _ = await manager.upload(InputStream(data: Data("x".utf8)), to: server.url("/10"), headers: headers).serializingString().response
        _ = await Alamofire.request(try URLRequest(url: server.url("/11"), method: .get, headers: headers)).serializingString().response
        let data = Data("x".utf8)
        let own = FirewheelClassic.HTTPHeaders?.some(headers)
        _ = await upload(data, to: server.url("/12"), headers: headers).serializingString().response
        _ = await Alamofire.upload(data, to: server.url("/13"), headers: own).serializingString().response
        _ = await upload(file, to: server.url("/14"), headers: own).serializingString().response
        _ = await Alamofire.upload(file, to: server.url("/15"), headers: headers).serializingString().response
        _ = await upload(InputStream(data: data), to: server.url("/16"), headers: headers).serializingString().response
        _ = await Alamofire.upload(InputStream(data: data), to: server.url("/17"), headers: headers).serializingString().response
        let append: (MultipartFormData) -> Void = { $0.append(data, withName: "a") }
        var forms: [SessionManager.MultipartFormDataEncodingResult] = []
        let urls = (18...21).map { server.url("/\($0)") }
        forms.append(
            await withCheckedContinuation { done in
                upload(multipartFormData: append, to: urls[0], headers: headers) { done.resume(returning: $0) }
            })
        forms.append(
            await withCheckedContinuation { done in
                Alamofire.upload(multipartFormData: append, to: urls[1], headers: headers) { done.resume(returning: $0) }
            })
        forms.append(
            await withCheckedContinuation { done in
                manager.upload(multipartFormData: append, to: urls[2], headers: headers) { done.resume(returning: $0) }
            })
        forms.append(
            await withCheckedContinuation { done in
                manager.upload(multipartFormData: append, to: urls[3], headers: optional, queue: .global()) { done.resume(returning: $0) }
            })
        for form in forms {
            guard case .success(let upload, _, _) = form else {
                Issue.record("\(form)")
                continue
            }
            _ = await upload.serializingString().response
        }
        for number in 1...21 {
            let sent = try await server.takeRequest()
            #expect(sent.path == "/\(number)" && sent.header("x-one") == "1")
        }
        for file in files { try FileManager.default.removeItem(at: file) }
        // A literal and nil are not ambiguous.
        _ = request(server.url(), headers: ["X-One": "1"])
        _ = Alamofire.request(server.url(), parameters: nil, headers: nil)
        _ = manager.request(server.url(), headers: ["X-One": "1"])
        _ = manager.request(server.url(), headers: nil)
    }

    @Test("Header fields are a dictionary, which Foundation's types take, and which loops go through")
    func dictionary() {
        let headers: HTTPHeaders = ["Accept": "text/plain"]
        var request = URLRequest(url: URL(fileURLWithPath: "/"))
        request.allHTTPHeaderFields = headers
        #expect(request.value(forHTTPHeaderField: "accept") == "text/plain")
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = headers
        #expect(SessionConfiguration(configuration).headers["Accept"] == "text/plain")
        let defaults: HTTPHeaders = SessionManager.defaultHTTPHeaders
        var names: [String] = []
        for (name, value) in defaults where !value.isEmpty { names.append(name) }
        #expect(names.contains("User-Agent") && defaults == Firewheel.HTTPHeaders.default.dictionary)
    }

    @Test("A session's methods make requests of URLs, URLRequests, data, files, streams and resume data")
    func methods() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { request in .text(request.bodyText) }
        let manager = SessionManager()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-spelling-\(UUID().uuidString)")
        try Data("body".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let target = file.appendingPathExtension("target")
        defer { try? FileManager.default.removeItem(at: target) }
        let destination: DownloadRequest.DownloadFileDestination = { _, _ in (target, [.removePreviousFile]) }
        let (url, body) = (server.url(), Data("body".utf8))
        let put = try URLRequest(url: url, method: .put)
        _ = await manager.request(url, method: .post, parameters: ["a": 1], encoding: JSONEncoding.default, headers: nil)
            .serializingString().response
        _ = await manager.request(put).serializingString().response
        for download in [
            manager.download(url, method: .post, parameters: nil, encoding: URLEncoding.default, headers: nil, to: destination),
            manager.download(put, to: destination),
        ] {
            #expect(await download.serializingDownloadedFileURL().result.value == target)
        }
        for upload in [
            manager.upload(body, to: url, method: .post, headers: nil), manager.upload(body, with: put),
            manager.upload(file, to: url, method: .post, headers: nil), manager.upload(file, with: put),
            manager.upload(InputStream(data: body), to: url, method: .post, headers: nil),
            manager.upload(InputStream(data: body), with: put),
        ] {
            #expect(await upload.serializingString().result.value == "body")
        }
        for index in 0..<10 { #expect(try await server.takeRequest().method == (index.isMultiple(of: 2) ? "POST" : "PUT")) }
        let resumed = await manager.download(resumingWith: Data(), to: destination).serializingDownloadedFileURL().response
        #expect((resumed.error as? AFError)?.kind == .resumeDataInvalid)
    }

    @Test("Encodings take values that are not Sendable, .methodDependent is the default, and a convertible has its urlRequest")
    func encodings() throws {
        let untyped: [String: Any] = ["a": 1, "b": NSNull()]
        let get = URLRequest(url: try #require(URL(string: "https://example.com/")))
        let post = try URLRequest(url: "https://example.com/", method: .post)
        #expect(try URLEncoding.methodDependent.encode(get, with: untyped).url?.query == "a=1")
        #expect(try URLEncoding.methodDependent.encode(post, with: untyped).httpBody == Data("a=1".utf8))
        #expect(try JSONEncoding.default.encode(post, with: untyped).httpBody == Data(#"{"a":1,"b":null}"#.utf8))
        let list = try PropertyListEncoding.default.encode(post, with: ["a": NSNumber(value: 1)] as [String: Any]).httpBody
        #expect(list.map { String(decoding: $0, as: UTF8.self) }?.contains("<key>a</key>") == true)
        #expect(get.urlRequest == get)
        struct Broken: URLRequestConvertible {
            func asURLRequest() throws -> URLRequest { throw URLError(.badURL) }
        }
        #expect(Broken().urlRequest == nil)
    }

    @Test("The functions of the module and those of Alamofire upload and resume with SessionManager.default")
    func functions() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { request in .text(request.bodyText) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-spelling-\(UUID().uuidString)")
        try Data("file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let data = Data("data".utf8)
        let url = server.url()
        let put = try URLRequest(url: url, method: .put)
        let uploads = [
            upload(file, to: url), upload(file, with: put), upload(data, to: url), upload(data, with: put),
            upload(InputStream(data: Data("data".utf8)), to: url), upload(InputStream(data: Data("data".utf8)), with: put),
            Alamofire.upload(file, to: url), Alamofire.upload(file, with: put), Alamofire.upload(data, to: url),
            Alamofire.upload(data, with: put), Alamofire.upload(InputStream(data: Data("data".utf8)), to: url),
            Alamofire.upload(InputStream(data: Data("data".utf8)), with: put),
        ]
        for (index, upload) in uploads.enumerated() {
            #expect(await upload.serializingString().result.value == ([0, 1, 6, 7].contains(index) ? "file" : "data"))
            #expect(try await server.takeRequest().method == (index.isMultiple(of: 2) ? "POST" : "PUT"))
        }
        for resumed in [download(resumingWith: Data()), Alamofire.download(resumingWith: Data())] {
            #expect((await resumed.serializingDownloadedFileURL().response.error as? AFError)?.kind == .resumeDataInvalid)
        }
    }

    @Test("Forms with an encodingCompletion, on the main actor and on a queue; the error of a part is a failure")
    func forms() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("stored") }
        let url = server.url()
        let put = try URLRequest(url: url, method: .put)
        let append: (MultipartFormData) -> Void = { $0.append(Data("1".utf8), withName: "a") }
        typealias Encoded = SessionManager.MultipartFormDataEncodingResult
        var results: [Encoded] = []
        results.append(await withCheckedContinuation { done in upload(multipartFormData: append, to: url) { done.resume(returning: $0) } })
        results.append(
            await withCheckedContinuation { done in upload(multipartFormData: append, with: put) { done.resume(returning: $0) } })
        results.append(
            await withCheckedContinuation { done in
                Alamofire.upload(multipartFormData: append, usingThreshold: 0, with: put) { done.resume(returning: $0) }
            })
        results.append(
            await withCheckedContinuation { done in
                let own = Place.queue("own")
                SessionManager.default.upload(multipartFormData: append, to: url, queue: own) { result in
                    #expect(Place.current == "own")
                    done.resume(returning: result)
                }
            })
        results.append(
            await withCheckedContinuation { done in
                SessionManager.default.upload(multipartFormData: append, with: put, queue: nil) { result in
                    #expect(Place.current == "main")
                    done.resume(returning: result)
                }
            })
        for result in results {
            guard case .success(let upload, false, nil) = result else {
                Issue.record("\(result)")
                continue
            }
            #expect(await upload.serializingString().result.value == "stored")
        }
        #expect(server.requestCount == 5)
        let failed: Encoded = await withCheckedContinuation { done in
            Alamofire.upload(
                multipartFormData: { $0.append(URL(fileURLWithPath: "/does/not/exist"), withName: "a") }, to: url,
                encodingCompletion: { done.resume(returning: $0) })
        }
        guard case .failure(let error as AFError) = failed, case .multipartEncodingFailed = error.kind else {
            Issue.record("\(failed)")
            return
        }
        #expect(SessionManager.multipartFormDataEncodingMemoryThreshold == 10_000_000)
    }

    @Test("cancel(createResumeData:) leaves resume data or not, and a validation of a download has four arguments")
    func downloads() async throws {
        struct Refusal: Error {}
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in
            MockResponse(headers: [("ETag", "\"1\"")], body: Data(repeating: 1, count: 100_000)).throttled(bytes: 50_000, every: 60)
        }
        for createsResumeData in [true, false] {
            let request = SessionManager.default.download(server.url())
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            request.downloadProgress(queue: .global()) { _ in continuation.yield() }
            async let response = request.serializingDownloadedFileURL().response
            for await _ in stream { break }
            request.cancel(createResumeData: createsResumeData)
            let ended = await response
            #expect((ended.error as? AFError)?.isExplicitlyCancelled == true)
            #expect((ended.resumeData != nil) == createsResumeData)
            if let data = ended.resumeData { SessionManager.default.download(resumingWith: data).cancel() }
        }
        server.route("/plain") { _ in .text("hello") }
        let refused = SessionManager.default.download(server.url("/plain")).validate { _, response, temporaryURL, destinationURL in
            guard response.statusCode == 200, temporaryURL != nil, destinationURL == nil else { return .success }
            return .failure(Refusal())
        }
        #expect((await refused.serializingDownloadedFileURL().response.error as? AFError)?.underlyingError is Refusal)
    }

    @Test("Request.authorizationHeader has Basic credentials")
    func authorizationHeader() {
        let header = Request.authorizationHeader(user: "Aladdin", password: "open sesame")
        #expect(header?.key == "Authorization" && header?.value == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test("What Alamofire 4's AFError told is told by properties of FirewheelError")
    func errors() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("<html>", status: 502, headers: [("Content-Type", "text/html")]))
        let response = await Alamofire.request(server.url()).validate(contentType: ["application/json"]).serializingString().response
        let error = try #require(response.error as? AFError)
        #expect(error.responseContentType == "text/html" && error.acceptableContentTypes == ["application/json"])
        #expect(error.responseCode == 502 && error.responseData == Data("<html>".utf8))
        #expect(error.isResponseValidationError && error.url == nil)
    }

    @Test("An AFError tells its kind by a property each, and the file of a form by its url")
    func kinds() {
        let file = URL(fileURLWithPath: "/does/not/exist")
        let errors: [AFError] = [
            AFError(.invalidURL), AFError(.parameterEncodingFailed(.missingURL)),
            AFError(.multipartEncodingFailed(.bodyPartFileNotReachable(at: file))),
            AFError(.responseValidationFailed(.unacceptableStatusCode(404))), AFError(.responseSerializationFailed(.inputFileNil)),
            AFError(.explicitlyCancelled),
        ]
        #expect(errors.map(\.isInvalidURLError) == [true, false, false, false, false, false])
        #expect(errors.map(\.isParameterEncodingError) == [false, true, false, false, false, false])
        #expect(errors.map(\.isMultipartEncodingError) == [false, false, true, false, false, false])
        #expect(errors.map(\.isResponseValidationError) == [false, false, false, true, false, false])
        #expect(errors.map(\.isResponseSerializationError) == [false, false, false, false, true, false])
        #expect(errors.map(\.url) == [nil, nil, file, nil, nil, nil])
    }
}
