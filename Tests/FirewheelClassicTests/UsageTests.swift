import FirewheelClassic
import FirewheelTesting
import Testing

/// Examples from Alamofire 4's documentation, and typical uses of it.
@Suite("Alamofire 4 usage examples", .timeLimit(.minutes(5)))
@MainActor
struct UsageTests {
    private let server: MockServer

    init() throws {
        server = try MockServer()
    }

    @Test("A GET with parameters gives result.isSuccess, result.value as a dictionary, and a timeline")
    func get() async throws {
        server.enqueue(.json(#"{"name":"Firewheel","stars":5}"#))
        let parameters: Parameters = ["foo": "bar", "list": [1, 2], "nested": ["key": "value"]]
        let headers: HTTPHeaders = ["Authorization": "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Accept": "application/json"]
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            request(server.url("/get"), parameters: parameters, headers: headers).validate().responseJSON { response in
                defer { continuation.resume() }
                #expect(Place.current == "main")
                #expect(response.result.isSuccess && response.result.error == nil)
                guard let json = response.result.value as? [String: Any] else {
                    Issue.record("no dictionary")
                    return
                }
                #expect(json["name"] as? String == "Firewheel" && json["stars"] as? Int == 5)
                #expect(response.response?.statusCode == 200 && response.request?.httpMethod == "GET")
                #expect(response.timeline.totalDuration >= response.timeline.requestDuration)
                #expect("\(response.timeline)".hasPrefix("Timeline: { \"Latency\": "))
            }
        }
        let sent = try await server.takeRequest()
        #expect(sent.target == "/get?foo=bar&list%5B%5D=1&list%5B%5D=2&nested%5Bkey%5D=value")
        #expect(sent.header("authorization") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        server.shutdown()
    }

    @Test("A POST of JSON gives a result to switch over")
    func post() async throws {
        server.enqueue(.json(#"{"id":1}"#, status: 201))
        let parameters: Parameters = ["foo": [1, 2, 3], "bar": ["baz": "qux"]]
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            SessionManager.default.request(
                server.url("/post"), method: .post, parameters: parameters, encoding: JSONEncoding.default
            )
            .validate(statusCode: 200..<300)
            .validate(contentType: ["application/json"])
            .responseJSON { response in
                switch response.result {
                case .success(let value):
                    #expect((value as? [String: Int]) == ["id": 1])
                case .failure(let error):
                    Issue.record(error)
                }
                continuation.resume()
            }
        }
        let sent = try await server.takeRequest()
        #expect(sent.method == "POST" && sent.header("content-type") == "application/json")
        #expect(sent.bodyText == #"{"bar":{"baz":"qux"},"foo":[1,2,3]}"#)
        server.shutdown()
    }

    @Test("A response refused by validation has its error in response.error and response.result.error, and its body")
    func refused() async throws {
        server.enqueue(.text("no such thing", status: 404))
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            request(server.url("/missing")).validate(statusCode: 200..<300).responseString { response in
                #expect(response.result.isFailure && response.result.value == nil)
                if let error = response.error as? FirewheelError {
                    #expect(error.kind == .responseValidationFailed(.unacceptableStatusCode(404)))
                } else {
                    Issue.record("no error")
                }
                #expect((response.result.error as? FirewheelError)?.responseCode == 404)
                if let data = response.data, let text = String(data: data, encoding: .utf8) {
                    #expect(text == "no such thing")
                } else {
                    Issue.record("no body")
                }
                continuation.resume()
            }
        }
        server.shutdown()
    }

    @Test("A custom validation closure may return .success")
    func validation() async throws {
        server.enqueue(.text("teapot", status: 418), .text("fine"))
        struct Teapot: Error {}
        for expected in [false, true] {
            let response: DataResponse<Data> = await withCheckedContinuation { continuation in
                request(server.url()).validate { request, response, data -> Request.ValidationResult in
                    guard response.statusCode != 418 else { return .failure(Teapot()) }
                    return .success
                }
                .responseData { continuation.resume(returning: $0) }
            }
            #expect(response.result.isSuccess == expected)
            #expect(expected || (response.error as? FirewheelError)?.underlyingError is Teapot)
        }
        server.shutdown()
    }

    @Test("A download goes to its destination with its options")
    func download() async throws {
        server.enqueue(.text("a picture"), .text("another"))
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-classic-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let destination: DownloadRequest.DownloadFileDestination = { _, _ in
            let fileURL = folder.appendingPathComponent("pig.png")
            return (fileURL, [.removePreviousFile, .createIntermediateDirectories])
        }
        for body in ["a picture", "another"] {
            let response: DefaultDownloadResponse = await withCheckedContinuation { continuation in
                FirewheelClassic.download(server.url("/image/png"), to: destination).response { response in
                    continuation.resume(returning: response)
                }
            }
            #expect(response.error == nil)
            let path = try #require(response.destinationURL?.path)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == body)
        }
        let options: DownloadRequest.DownloadOptions = [.createIntermediateDirectories]
        #expect(!options.contains(.removePreviousFile))
        server.shutdown()
    }

    @Test("A caller may keep a SessionManager made from a URLSessionConfiguration")
    func configuration() async throws {
        server.enqueue(.text("hello"))
        let configuration = URLSessionConfiguration.default
        var defaultHeaders = SessionManager.defaultHTTPHeaders
        defaultHeaders["DNT"] = "1 (Do Not Track Enabled)"
        configuration.httpAdditionalHeaders = defaultHeaders
        configuration.timeoutIntervalForRequest = 10
        let sessionManager = FirewheelClassic.SessionManager(configuration: configuration)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            sessionManager.request(server.url()).responseString { response in
                #expect(response.value == "hello")
                continuation.resume()
            }
        }
        let sent = try await server.takeRequest()
        #expect(sent.header("dnt") == "1 (Do Not Track Enabled)")
        #expect(sent.header("user-agent") == SessionManager.defaultHTTPHeaders["User-Agent"])
        let taken = SessionConfiguration(configuration)
        #expect(taken.timeoutIntervalForRequest == 10)
        #expect(taken.timeoutIntervalForResource == configuration.timeoutIntervalForResource)
        #expect(taken.maximumConnectionsPerHost == configuration.httpMaximumConnectionsPerHost)
        let plain = SessionManager(configuration: .default, startRequestsImmediately: false)
        #expect(plain.request(server.url()).response { _ in }.state == .initialized)
        server.shutdown()
    }

    @Test("A router enum makes requests as URLRequestConvertible")
    func router() async throws {
        server.enqueue(.text("found"))
        enum Router: URLRequestConvertible {
            case search(base: String, query: String, page: Int)

            static let perPage = 50

            func asURLRequest() throws -> URLRequest {
                let result: (base: String, path: String, parameters: Parameters) = {
                    switch self {
                    case .search(let base, let query, let page) where page > 0:
                        return (base, "/search", ["q": query, "offset": Router.perPage * page])
                    case .search(let base, let query, _):
                        return (base, "/search", ["q": query])
                    }
                }()
                let url = try result.base.asURL()
                let urlRequest = URLRequest(url: url.appendingPathComponent(result.path))
                return try URLEncoding.default.encode(urlRequest, with: result.parameters)
            }
        }
        let response: DataResponse<String> = await withCheckedContinuation { continuation in
            request(Router.search(base: server.baseURL, query: "foo bar", page: 1)).responseString { response in
                continuation.resume(returning: response)
            }
        }
        #expect(response.result.value == "found")
        #expect(try await server.takeRequest().target == "/search?offset=50&q=foo%20bar")
        server.shutdown()
    }
}
