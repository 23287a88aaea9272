import FirewheelClassic
import FirewheelTesting
import Testing

/// Runs the programs of `TutorialsInSwift5.swift` and `TutorialsInSwift6.swift`, each language mode its own.
@Suite("Programs of Alamofire 4 tutorials", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct TutorialTests {
    private let server: MockServer

    init() throws {
        server = try MockServer()
    }

    /// Waits for the completion that a program calls.
    private func result<Value>(_ start: (@escaping @MainActor (Value) -> Void) -> Void) async -> Value {
        let box: Box<Value> = await withCheckedContinuation { continuation in
            start { continuation.resume(returning: Box(value: $0)) }
        }
        return box.value
    }

    /// Carries a value from a handler of the main actor to the test, which is there, too.
    private struct Box<Value>: @unchecked Sendable {
        let value: Value
    }

    @Test("1. JSON from a GET with parameters and headers")
    func tags() async throws {
        server.enqueue(.json(#"{"results":[{"tag":"tree"},{"tag":"sky"}]}"#), .text("no JSON"))
        let tagger = PhotoTagger(baseURL: server.baseURL)
        #expect(await result { tagger.downloadTags(contentID: "7", completion: $0) } == ["tree", "sky"])
        #expect(await result { tagger.downloadTags(contentID: "8", completion: $0) } == nil)
        let sent = try await server.takeRequest()
        #expect(sent.target == "/tagging?content=7" && sent.header("authorization") == "Basic eHh4")
        server.shutdown()
    }

    @Test("2. Validation and a switch over the result")
    func temperature() async throws {
        server.enqueue(.json(#"{"main":{"temp":21.5}}"#), .text("no such city", status: 404), .text("{}"))
        let client = WeatherClient(baseURL: server.baseURL)
        let found: Result<Double> = await result { client.currentTemperature(in: "Rome", completion: $0) }
        #expect(found.value == 21.5)
        let missing: Result<Double> = await result { client.currentTemperature(in: "?", completion: $0) }
        #expect((missing.error as? AFError)?.responseCode == 404)
        let other: Result<Double> = await result { client.currentTemperature(in: "Rome", completion: $0) }
        #expect((other.error as? AFError)?.responseContentType == "text/plain")
        #expect(try await server.takeRequest().target == "/weather?q=Rome&units=metric")
        server.shutdown()
    }

    @Test("3. A POST of JSON with a dictionary of headers")
    func login() async throws {
        server.enqueue(.json(#"{"token":"abc"}"#), .text("", status: 401))
        let service = LoginService(baseURL: server.baseURL)
        let first: (String?, (any Error)?) = await result { done in service.login(name: "a", password: "b") { done(($0, $1)) } }
        #expect(first.0 == "abc" && first.1 == nil)
        let second: (String?, (any Error)?) = await result { done in service.login(name: "a", password: "b") { done(($0, $1)) } }
        #expect(second.0 == nil && (second.1 as? AFError)?.responseCode == 401)
        let sent = try await server.takeRequest()
        #expect(sent.bodyText == #"{"remember":true,"user":{"name":"a","password":"b"}}"#)
        #expect(sent.header("x-client") == "iOS" && sent.header("accept") == "application/json")
        #expect(sent.header("content-type") == "application/json")
        server.shutdown()
    }

    @Test("4. A handler on a queue of its own")
    func lines() async throws {
        server.enqueue(.text("1\n2\n3"))
        #expect(await result { ReportReader(baseURL: server.baseURL).countLines(completion: $0) } == 3)
        server.shutdown()
    }

    @Test("5. A download with a destination and progress")
    func picture() async throws {
        server.enqueue(.text("a picture"))
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-tutorial-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let download = PictureDownload(baseURL: server.baseURL, folder: folder)
        let file = try #require(await result { download.start(completion: $0) })
        #expect(try String(contentsOf: file, encoding: .utf8) == "a picture" && file.lastPathComponent == "pig.png")
        #expect(download.fraction == 1)
        server.shutdown()
    }

    @Test("6. A download that fails and is resumed")
    func resumed() async throws {
        let whole = String(repeating: "abcdefgh", count: 1000)
        server.route("/image") { request in
            if let range = request.header("range"), let start = Int(range.filter(\.isNumber)) {
                return MockResponse(
                    status: 206, headers: [("Content-Range", "bytes \(start)-7999/8000"), ("ETag", "\"1\"")],
                    body: Data(whole.utf8.dropFirst(start)))
            }
            return MockResponse(headers: [("ETag", "\"1\"")], body: Data(whole.utf8)).failing(.closeInBody(after: 4000))
        }
        let requestor = ImageRequestor()
        let url = server.url("/image")
        #expect(await result { requestor.fetchImage(from: url, completion: $0) } == nil)
        #expect(await result { requestor.fetchImage(from: url, completion: $0) } == Data(whole.utf8))
        #expect(await result { requestor.fetchImage(from: url, completion: $0) } == Data(whole.utf8))
        #expect(server.requestCount == 2)
        server.shutdown()
    }

    @Test("7. An upload of data with progress")
    func text() async throws {
        server.enqueue(.json("[1]"))
        let upload = TextUpload(baseURL: server.baseURL)
        let response: DataResponse<Any> = await result { upload.send("hello", completion: $0) }
        #expect(response.result.value as? [Int] == [1] && upload.sent == 5)
        let sent = try await server.takeRequest()
        #expect(sent.method == "PUT" && sent.bodyText == "hello" && sent.header("content-type") == "text/plain")
        server.shutdown()
    }

    @Test("8. An upload of a multipart form")
    func form() async throws {
        server.enqueue(.text("stored"))
        let upload = FormUpload(baseURL: server.baseURL)
        let answer: (String?, (any Error)?) = await result { done in
            upload.send(image: Data([0xFF, 0xD8]), parameters: ["author": "Ada"]) { done(($0, $1)) }
        }
        #expect(answer.0 == "stored" && answer.1 == nil)
        let sent = try await server.takeRequest()
        #expect(sent.header("content-type")?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(sent.header("authorization") == "Basic eHh4" && sent.method == "POST")
        #expect(String(decoding: sent.body, as: UTF8.self).contains(#"name="imagefile"; filename="image.jpg""#))
        server.shutdown()
    }

    @Test("9. A router")
    func router() throws {
        let create = try UserRouter.createUser(parameters: ["username": "a"]).asURLRequest()
        #expect(create.url?.absoluteString == "https://example.com/users" && create.httpMethod == "POST")
        #expect(create.httpBody == Data(#"{"username":"a"}"#.utf8))
        let update = try UserRouter.updateUser(username: "a", parameters: ["name": "b c"]).asURLRequest()
        #expect(update.url?.path == "/users/a" && update.httpMethod == "PUT" && update.httpBody == Data("name=b%20c".utf8))
        #expect(try UserRouter.readUser(username: "a").asURLRequest().httpMethod == "GET")
        #expect(try UserRouter.destroyUser(username: "a").asURLRequest().httpMethod == "DELETE")
        server.shutdown()
    }

    @Test("10. An adapter with an access token")
    func adapter() async throws {
        server.route("/*") { _ in .text("hello") }
        let sessionManager = SessionManager(configuration: .default)
        sessionManager.adapter = AccessTokenAdapter(accessToken: "1234", prefix: server.baseURL)
        let first: DataResponse<String> = await result { done in
            sessionManager.request(server.url("/1")).responseString { done($0) }
        }
        #expect(first.value == "hello")
        sessionManager.adapter = nil
        let second: DataResponse<String> = await result { done in
            sessionManager.request(server.url("/2")).responseString { done($0) }
        }
        #expect(second.value == "hello")
        #expect(try await server.takeRequest().header("authorization") == "Bearer 1234")
        #expect(try await server.takeRequest().header("authorization") == nil)
        server.shutdown()
    }

    @Test("11. An adapter and retrier that refreshes its token")
    func refresh() async throws {
        server.route("/oauth2/token") { _ in .json(#"{"access_token":"new"}"#) }
        server.route("/users") { request in
            request.header("authorization") == "Bearer new" ? .text("Ada") : .text("", status: 401)
        }
        let handler = OAuth2Handler(baseURLString: server.baseURL, accessToken: "old")
        let sessionManager = SessionManager(configuration: .default)
        sessionManager.adapter = handler
        sessionManager.retrier = handler
        let url = server.url("/users")
        async let first = sessionManager.request(url).validate().serializingString().value
        async let second = sessionManager.request(url).validate().serializingString().value
        #expect(try await [first, second] == ["Ada", "Ada"])
        server.shutdown()
    }

    @Test("12. Generic response objects")
    func model() async throws {
        server.enqueue(.json(#"{"name":"Mattt"}"#), .json("[]"))
        let url = server.url("/users/mattt")
        let found: Member? = await result { done in
            loadMember(url) { member in DispatchQueue.main.async { done(member) } }
        }
        #expect(found?.username == "mattt" && found?.name == "Mattt")
        let none: Member? = await result { done in
            loadMember(url) { member in DispatchQueue.main.async { done(member) } }
        }
        #expect(none == nil)
        server.shutdown()
    }

    @Test("13. A shared manager with a configuration")
    func shared() async throws {
        server.enqueue(MockResponse(status: 204))
        #expect(await result { APIManager().ping(server.url("/ping"), completion: $0) } == 204)
        #expect(try await server.takeRequest().header("x-app") == "Tutorial")
        #expect(!APIManager.sharedManager.startRequestsImmediately)
        server.shutdown()
    }

    @Test("14. Authentication")
    func account() async throws {
        server.route("/*") { request in
            request.header("authorization") == "Basic YTpi"
                ? .text("welcome") : MockResponse(status: 401, headers: [("WWW-Authenticate", #"Basic realm="x""#)])
        }
        let client = AccountClient(baseURL: server.baseURL)
        #expect(await result { client.statusWithHeader(user: "a", password: "b", completion: $0) } == 200)
        #expect(server.requestCount == 1)
        #expect(await result { client.statusWithChallenge(user: "a", password: "b", completion: $0) } == 200)
        #expect(server.requestCount == 3)
        server.shutdown()
    }

    @Test("15. A validation of the body")
    func service() async throws {
        server.enqueue(.text("error: closed"), .text("open"))
        let refused: (any Error)? = await result { checkService(server.url(), completion: $0) }
        guard case .refused("error: closed")? = refused as? ServiceError else {
            Issue.record("\(String(describing: refused))")
            return
        }
        let none: (any Error)? = await result { checkService(server.url(), completion: $0) }
        #expect(none == nil)
        server.shutdown()
    }

    @Test("16. An encoding of one's own")
    func encoding() async throws {
        server.enqueue(.text("taken"))
        #expect(await result { sendNames(["a", "b"], to: server.url(), completion: $0) } == "taken")
        let sent = try await server.takeRequest()
        #expect(sent.bodyText == #"["a","b"]"# && sent.header("content-type") == "application/json")
        server.shutdown()
    }

    @Test("17. A table of posts")
    func posts() async throws {
        server.enqueue(.json(#"[{"title":"one"},{"title":"two"}]"#))
        let model = PostsModel()
        await result { (done: @escaping @MainActor (()) -> Void) in
            model.onChange = { done(()) }
            model.reload(from: server.url("/posts"))
        }
        #expect(model.posts == ["one", "two"])
        server.shutdown()
    }

    @Test("19. Header fields in a variable")
    func notes() async throws {
        server.route("/*") { _ in .json("[]") }
        let client = NotesClient(baseURL: server.baseURL, token: "1234")
        #expect(client.names().contains("User-Agent") && client.names().contains("Authorization"))
        #expect(await result { client.load(completion: $0) } == "[]")
        #expect(await result { client.save(Data("note".utf8), completion: $0) })
        #expect(await result { client.attach(Data([0xFF, 0xD8]), completion: $0) })
        #expect(await result { client.attachAgain(Data([0xFF, 0xD8]), completion: $0) })
        for (method, path) in [("GET", "/notes"), ("PUT", "/notes"), ("POST", "/images"), ("POST", "/images")] {
            let sent = try await server.takeRequest()
            #expect(sent.method == method && sent.path == path && sent.header("authorization") == "Bearer 1234")
        }
        server.shutdown()
    }

    @Test("20. Parameters of mixed types in a router and a download")
    func search() async throws {
        server.enqueue(.text("found"))
        let client = SearchClient(baseURL: server.baseURL)
        #expect(client.address(of: "a b") == server.url("/search?page=1&q=a%20b"))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-tutorial-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(await result { client.download("a", to: file, completion: $0) } == file)
        #expect(try String(contentsOf: file, encoding: .utf8) == "found")
        let sent = try await server.takeRequest()
        #expect(sent.target == "/search?limit=10&q=a" && sent.header("accept") == "text/plain")
        server.shutdown()
    }
}
