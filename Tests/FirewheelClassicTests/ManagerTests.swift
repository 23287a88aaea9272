import FirewheelClassic
import FirewheelTesting
import Testing

/// `HTTPSessionManager`, with the rules of AFNetworking 4's `AFHTTPSessionManager`.
@Suite("AFNetworking's session manager", .timeLimit(.minutes(5)))
struct ManagerTests {
    @Test("Each method sends its parameters in the query or the body, with headers, and its value to success on the main queue")
    func methods() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.route("/*") { _ in .json(#"{"id":1}"#) }
        let manager = bench.manager
        let parameters: [String: Any] = ["a": [1, 2]]
        let headers = ["X-One": "1"]
        let outcomes = [
            await bench.outcome { manager.get("users", parameters: parameters, headers: headers, success: $0, failure: $1) },
            await bench.outcome { manager.delete("users", parameters: parameters, headers: headers, success: $0, failure: $1) },
            await bench.outcome { manager.post("users", parameters: parameters, headers: headers, success: $0, failure: $1) },
            await bench.outcome { manager.put("users", parameters: parameters, headers: headers, success: $0, failure: $1) },
            await bench.outcome { manager.patch("users", parameters: parameters, headers: headers, success: $0, failure: $1) },
        ]
        for outcome in outcomes {
            #expect((outcome.value as? [String: Int]) == ["id": 1] && outcome.place == "main")
            #expect(outcome.request?.response?.statusCode == 200)
        }
        for method in ["GET", "DELETE", "POST", "PUT", "PATCH"] {
            let sent = try await bench.server.takeRequest()
            let isInQuery = method == "GET" || method == "DELETE"
            #expect(sent.method == method && sent.header("x-one") == "1")
            #expect(sent.target == (isInQuery ? "/v1/users?a%5B%5D=1&a%5B%5D=2" : "/v1/users"))
            #expect(sent.bodyText == (isInQuery ? "" : "a%5B%5D=1&a%5B%5D=2"))
        }
        let head: DataRequest = await withCheckedContinuation { done in
            manager.head("users", parameters: ["a": 1], success: { done.resume(returning: $0) })
        }
        #expect(head.response?.statusCode == 200)
        let sent = try await bench.server.takeRequest()
        #expect(sent.method == "HEAD" && sent.target == "/v1/users?a=1")
    }

    @Test(
        "Relative URLs are resolved against the base with a slash appended", arguments: [("", "/x"), ("/v1", "/v1/x"), ("/v1/", "/v1/x")])
    func base(path: String, expected: String) async throws {
        let bench = try ManagerBench(path)
        defer { bench.server.shutdown() }
        bench.server.route("/*") { _ in .json("[]") }
        #expect(bench.manager.baseURL?.path.hasSuffix("x") == false)
        #expect(await bench.get("x").error == nil)
        #expect(await bench.get("/x").error == nil)
        #expect(await bench.get(bench.server.url("/other")).error == nil)
        #expect(await bench.get("").error == nil)
        #expect(try await bench.server.takeRequest().path == expected)
        #expect(try await bench.server.takeRequest().path == "/x")
        #expect(try await bench.server.takeRequest().path == "/other")
        #expect(try await bench.server.takeRequest().path == String(expected.dropLast()))
    }

    @Test("A relative URL without a base is an error of the request")
    func noBase() async throws {
        let manager = HTTPSessionManager()
        #expect(manager.baseURL == nil)
        let request: (DataRequest?, (any Error)) = await withCheckedContinuation { done in
            manager.get("users", failure: { done.resume(returning: ($0, $1)) })
        }
        #expect(request.0 != nil && (request.1 as? FirewheelError)?.kind == .invalidURL)
    }

    @Test("Parameters that cannot be serialized are failure(nil, error) on the completion queue, and nil is returned")
    func unserializable() async throws {
        final class Unknown {}
        let manager = HTTPSessionManager(baseURL: URL(string: "http://127.0.0.1:9"))
        manager.requestSerializer = .json
        manager.completionQueue = Place.queue("own")
        let group = DispatchGroup()
        manager.completionGroup = group
        let outcome: (DataRequest?, any Error, String) = await withCheckedContinuation { done in
            let request = manager.post(
                "x", parameters: ["a": Unknown()] as [String: Any], failure: { done.resume(returning: ($0, $1, Place.current)) })
            #expect(request == nil)
        }
        #expect(outcome.0 == nil && outcome.2 == "own")
        #expect((outcome.1 as? FirewheelError)?.kind == .parameterEncodingFailed(.jsonEncodingFailed))
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
        #expect(manager.tasks.isEmpty)
    }

    @Test("The error of a bad status has the parsed body as its responseValue")
    func badStatus() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.enqueue(.json(#"{"reason":"closed"}"#, status: 503), .json("", status: 503))
        let outcome = await bench.get()
        #expect(outcome.failure?.kind == .responseValidationFailed(.unacceptableStatusCode(503)))
        #expect(outcome.failure?.responseValue as? JSONValue == ["reason": "closed"])
        #expect(outcome.request?.response?.statusCode == 503)
        let empty = await bench.get()
        #expect(empty.failure?.responseCode == 503 && empty.failure?.responseValue == nil)
    }

    @Test("Serializers set after the manager was made apply to later requests; default fields only where the request has none")
    func serializers() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.route("/*") { _ in .text("hello") }
        bench.manager.requestSerializer = .json
        bench.manager.requestSerializer.setValue("default", forHTTPHeaderField: "X-One")
        bench.manager.responseSerializer = .data
        let outcome = await bench.outcome { bench.manager.post("x", parameters: ["a": 1], headers: nil, success: $0, failure: $1) }
        #expect(outcome.value as? Data == Data("hello".utf8))
        _ = await bench.outcome { bench.manager.post("x", parameters: [1], headers: ["X-One": "own"], success: $0, failure: $1) }
        let first = try await bench.server.takeRequest()
        #expect(first.bodyText == #"{"a":1}"# && first.header("x-one") == "default")
        let second = try await bench.server.takeRequest()
        #expect(second.bodyText == "[1]" && second.header("x-one") == "own")
    }

    @Test("Changes in place on several threads at once lose none, and what is called meanwhile may use the manager")
    func changesInPlace() {
        let manager = HTTPSessionManager()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<50 {
                manager.requestSerializer.setValue("1", forHTTPHeaderField: "X-\(thread)-\(number)")
                manager.requestSerializer.methodsEncodingParametersInURI.insert(HTTPMethod(rawValue: "M\(thread)N\(number)"))
                manager.responseSerializer.acceptableContentTypes?.insert("x/\(thread)-\(number)")
            }
        }
        #expect(manager.requestSerializer.headers.count { $0.name.hasPrefix("X-") } == 200)
        #expect(manager.requestSerializer.methodsEncodingParametersInURI.count == 203)
        #expect(manager.responseSerializer.acceptableContentTypes?.count == 203)
        func change(_ serializer: inout HTTPRequestSerializer) {
            manager.completionQueue = manager.completionQueue ?? .main
            manager.responseSerializer.acceptableStatusCodes = [201]
            serializer.timeoutInterval = manager.requestSerializer.timeoutInterval ?? 7
        }
        change(&manager.requestSerializer)
        #expect(manager.requestSerializer.timeoutInterval == 7 && manager.responseSerializer.acceptableStatusCodes == [201])
        #expect(manager.completionQueue != nil)
        // What fails leaves its change, as with a stored property.
        struct Refusal: Error {}
        func fail(_ serializer: inout HTTPRequestSerializer) throws {
            serializer.timeoutInterval = 8
            throw Refusal()
        }
        #expect(throws: Refusal.self) { try fail(&manager.requestSerializer) }
        #expect(manager.requestSerializer.timeoutInterval == 8)
        manager.requestSerializer = .json
        #expect(manager.requestSerializer.timeoutInterval == nil)
    }

    @Test("A response without a body is a success with the value nil, also with 204")
    func noBody() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.enqueue(MockResponse(status: 204), MockResponse(status: 205), .json(""))
        for status in [204, 205, 200] {
            let outcome = await bench.get()
            #expect(outcome.error == nil && outcome.value == nil && outcome.request?.response?.statusCode == status)
        }
    }

    @Test("The progress of post is that of its body")
    func postProgress() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.enqueue(.json("[1,2,3,4,5,6]"))
        bench.manager.completionQueue = Place.queue("own")
        let (right, other) = (Counter(), Counter())
        let outcome = await bench.outcome { success, failure in
            bench.manager.post(
                "x", parameters: ["a": "b"],
                progress: { progress in
                    let isRight = Place.current == "own" && progress.totalUnitCount == 3
                    (isRight ? right : other).raise(to: Int(progress.completedUnitCount))
                }, success: success, failure: failure)
        }
        #expect(outcome.value as? [Int] == [1, 2, 3, 4, 5, 6] && right.value == 3 && other.value == 0)
        #expect(try await bench.server.takeRequest().bodyText == "a=b")
    }

    @Test("Handlers run on the completion queue, and the group is left after them")
    func completion() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.route("/*") { _ in .json("[]") }
        let group = DispatchGroup()
        bench.manager.completionQueue = Place.queue("own")
        bench.manager.completionGroup = group
        let counter = Counter()
        for _ in 0..<3 { bench.manager.get("x", success: { _, _ in counter.add(Place.current == "own" ? 1 : 100) }) }
        bench.manager.post("x", constructingBodyWith: { _ in }, success: { _, _ in counter.add(1) })
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
        #expect(counter.value == 4)
        bench.manager.completionQueue = nil
        bench.manager.completionGroup = nil
        #expect(await bench.get().place == "main")
    }

    @Test("Requests that are released without having started leave the group, which may then be released")
    func unstarted() throws {
        let manager = HTTPSessionManager(baseURL: URL(string: "http://127.0.0.1:9"))
        let url = try #require(URL(string: "http://127.0.0.1:9"))
        let group = DispatchGroup()
        manager.completionGroup = group
        var data = manager.dataTask(withHTTPMethod: .get, urlString: "x", success: { _, _ in })
        var file: DownloadRequest? = manager.downloadTask(with: URLRequest(url: url), completionHandler: nil)
        #expect(group.wait(timeout: .now()) == .timedOut)
        weak let (released, other) = (data, file)
        (data, file) = (nil, nil)
        #expect(released == nil && other == nil && group.wait(timeout: .now()) == .success)
        let kept = manager.dataTask(withHTTPMethod: .get, urlString: "x")
        #expect(group.wait(timeout: .now()) == .timedOut && kept?.isInitialized == true)
    }

    @Test("A serializer without a decoder of its own uses that of the manager's session, also in a compound one")
    func decoder() async throws {
        struct User: Decodable, Equatable { let userName: String }
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.route("/*") { _ in .json(#"{"user_name":"Ada"}"#) }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        var configuration = SessionConfiguration.default
        configuration.decoder = decoder
        let manager = HTTPSessionManager(baseURL: bench.manager.baseURL, configuration: configuration)
        let user = HTTPResponseSerializer(DataResponseSerializer<User>.decodable(of: User.self))
        for serializer in [user, .compound([.propertyList, user])] {
            manager.responseSerializer = serializer
            let outcome = await bench.outcome { manager.get("x", success: $0, failure: $1) }
            #expect(outcome.value as? User == User(userName: "Ada"))
        }
    }

    @Test("A multipart POST sends parameters and parts, with its progress")
    func multipart() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.enqueue(.json(#"{"stored":true}"#))
        let counter = Counter()
        let outcome = await bench.outcome { success, failure in
            bench.manager.post(
                "photos", parameters: ["author": "Ada"], headers: ["X-One": "1"],
                constructingBodyWith: { form in form.append(Data("raw".utf8), withName: "photo", fileName: "a.png", mimeType: "image/png")
                },
                progress: { progress in counter.add(Int(progress.completedUnitCount)) }, success: success, failure: failure)
        }
        #expect((outcome.value as? [String: Bool]) == ["stored": true] && counter.value > 0)
        let sent = try await bench.server.takeRequest()
        let body = String(decoding: sent.body, as: UTF8.self)
        #expect(sent.path == "/v1/photos" && sent.header("x-one") == "1" && sent.method == "POST")
        #expect(sent.header("content-type")?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(body.contains("name=\"author\"\r\n\r\nAda\r\n") && body.contains("filename=\"a.png\"\r\nContent-Type: image/png"))
    }

    @Test("Handlers of the returned request are called as well")
    @MainActor
    func chain() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.enqueue(.json("[1]"))
        var values: [Int]?
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            bench.manager.get("x")?.responseJSON { response in
                values = response.value as? [Int]
                done.resume()
            }
        }
        #expect(values == [1])
    }

    @Test("A class that inherits from it has a shared instance and sees every request")
    func inheritance() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .json("[]") }
        let client = Client(baseURL: URL(string: server.url()))
        await withCheckedContinuation { done in client.get("x", success: { _, _ in done.resume() }) }
        #expect(try await server.takeRequest().header("x-client") == "yes")
    }
}

/// A client of an API, as AFNetworking's users write it.
private final class Client: HTTPSessionManager, @unchecked Sendable {
    override func dataTask(
        withHTTPMethod method: HTTPMethod, urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        uploadProgress: ProgressHandler? = nil, downloadProgress: ProgressHandler? = nil, success: SuccessHandler? = nil,
        failure: FailureHandler? = nil
    ) -> DataRequest? {
        var headers = headers ?? [:]
        headers["X-Client"] = "yes"
        return super.dataTask(
            withHTTPMethod: method, urlString: urlString, parameters: parameters, headers: headers, uploadProgress: uploadProgress,
            downloadProgress: downloadProgress, success: success, failure: failure)
    }
}

/// Counts on any thread.
final class Counter: @unchecked Sendable {
    // Sound because the number is only accessed while the lock is held.
    private let lock = NSLock()
    private var number = 0

    func add(_ count: Int) { lock.withLock { number += count } }

    /// For what may be reported more than once.
    func raise(to count: Int) { lock.withLock { number = max(number, count) } }

    var value: Int { lock.withLock { number } }
}
