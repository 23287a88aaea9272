import FirewheelClassic
import FirewheelTesting
import Testing

/// `HTTPSessionManager`, with the rules of AFNetworking 4's `AFURLSessionManager`.
@Suite("AFNetworking's tasks", .timeLimit(.minutes(5)))
struct ManagerTaskTests {
    private struct Ended: @unchecked Sendable {
        // Sound because the value is read by the test alone.
        let response: HTTPURLResponse?
        let value: Any?
        let error: (any Error)?
    }

    private func request(_ bench: ManagerBench, _ path: String = "x", _ method: HTTPMethod = .get) throws -> URLRequest {
        try URLRequest(url: bench.server.url("/\(path)"), method: method)
    }

    @Test("Tasks start with resume(), and get response, value and error; a bad status gives a value beside its error")
    func data() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.enqueue(.json("[1]"), .json(#"{"a":null}"#, status: 500))
        for expected in [200, 500] {
            let request = try request(bench)
            let ended: Ended = await withCheckedContinuation { done in
                let task = bench.manager.dataTask(with: request) { response, value, error in
                    done.resume(returning: Ended(response: response, value: value, error: error))
                }
                #expect(task.isInitialized && bench.manager.tasks.isEmpty)
                task.resume()
            }
            #expect(ended.response?.statusCode == expected)
            if expected == 200 {
                #expect(ended.value as? [Int] == [1] && ended.error == nil)
            } else {
                #expect((ended.value as? [String: Any])?["a"] is NSNull && (ended.error as? FirewheelError)?.responseCode == 500)
            }
        }
        let unstarted = bench.manager.dataTask(withHTTPMethod: .get, urlString: "x")
        #expect(unstarted?.isInitialized == true && bench.server.requestCount == 2)
    }

    @Test("Uploads of data and files, with progress")
    func uploads() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.route("/*") { _ in .json("[]") }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-manager-\(UUID().uuidString)")
        try Data("content".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let put = try request(bench, "x", .put)
        let counter = Counter()
        for number in 0..<3 {
            let ended: Ended = await withCheckedContinuation { done in
                let handler: HTTPSessionManager.CompletionHandler = { response, value, error in
                    done.resume(returning: Ended(response: response, value: value, error: error))
                }
                let progress: HTTPSessionManager.ProgressHandler = { counter.add(Int($0.completedUnitCount)) }
                switch number {
                case 0: bench.manager.uploadTask(with: put, fromFile: file, progress: progress, completionHandler: handler).resume()
                case 1:
                    bench.manager.uploadTask(with: put, from: Data("content".utf8), progress: progress, completionHandler: handler)
                        .resume()
                default: bench.manager.uploadTask(with: put, from: nil, completionHandler: handler).resume()
                }
            }
            #expect(ended.value is [Any] && ended.error == nil)
            #expect(try await bench.server.takeRequest().bodyText == (number < 2 ? "content" : ""))
        }
        #expect(counter.value >= 14)
    }

    @Test("Downloads are moved to their destination; a bad status is an error, and its file is not moved")
    func downloads() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.enqueue(.text("good"), .text("bad", status: 404), .text("good"))
        let folder = FileManager.default.temporaryDirectory
        let target = folder.appendingPathComponent("firewheel-manager-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: target) }
        let get = try request(bench)
        for number in 0..<3 {
            let ended: (HTTPURLResponse?, URL?, (any Error)?) = await withCheckedContinuation { done in
                let handler: HTTPSessionManager.DownloadHandler = { response, file, error in done.resume(returning: (response, file, error))
                }
                let task =
                    number < 2
                    ? bench.manager.downloadTask(with: get, destination: { _, _ in target }, completionHandler: handler)
                    : bench.manager.downloadTask(with: get, completionHandler: handler)
                task.resume()
            }
            switch number {
            case 0: #expect(ended.1 == target && ended.2 == nil && (try? Data(contentsOf: target)) == Data("good".utf8))
            case 1:
                #expect(ended.0?.statusCode == 404 && ended.1 == nil && (ended.2 as? FirewheelError)?.responseCode == 404)
                #expect((try? Data(contentsOf: target)) == Data("good".utf8))
            default:
                let file = try #require(ended.1)
                #expect(try Data(contentsOf: file) == Data("good".utf8))
                try FileManager.default.removeItem(at: file)
            }
        }
        let resumed: (any Error)? = await withCheckedContinuation { done in
            bench.manager.downloadTask(withResumeData: Data([1])) { _, _, error in done.resume(returning: error) }.resume()
        }
        #expect((resumed as? FirewheelError)?.kind == .resumeDataInvalid)
    }

    /// Waits for the handler of a download.
    private func ended(
        _ make: (@escaping HTTPSessionManager.DownloadHandler) -> DownloadRequest
    ) async -> (response: HTTPURLResponse?, file: URL?, error: (any Error)?) {
        await withCheckedContinuation { done in
            _ = make { response, file, error in done.resume(returning: (response, file, error)) }.resume()
        }
    }

    @Test("A file that is there already is an error, and stays as it is")
    func fileInTheWay() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.enqueue(.text("new"))
        let target = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-manager-\(UUID().uuidString)")
        try Data("old".utf8).write(to: target)
        defer { try? FileManager.default.removeItem(at: target) }
        let get = try request(bench)
        let ended = await ended { bench.manager.downloadTask(with: get, destination: { _, _ in target }, completionHandler: $0) }
        #expect((ended.error as? FirewheelError)?.kind == .downloadedFileMoveFailed && ended.file == nil)
        #expect(ended.response?.statusCode == 200)
        #expect(try Data(contentsOf: target) == Data("old".utf8))
    }

    @Test("A download that failed goes on with its resume data, with progress, to a destination")
    func resumed() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        let whole = Data(String(repeating: "abcdefgh", count: 1_000).utf8)
        bench.server.route("/*") { request in
            if let range = request.header("range"), let start = Int(range.filter(\.isNumber)) {
                return MockResponse(
                    status: 206, headers: [("Content-Range", "bytes \(start)-7999/8000"), ("ETag", "\"1\"")], body: whole.dropFirst(start))
            }
            return MockResponse(headers: [("ETag", "\"1\"")], body: whole).failing(.closeInBody(after: 4_000))
        }
        let get = try request(bench)
        let failed = await ended { bench.manager.downloadTask(with: get, completionHandler: $0) }
        let data = try #require((failed.error as? FirewheelError)?.resumeData)
        let target = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-manager-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: target) }
        let progress = Counter()
        let resumed = await ended {
            bench.manager.downloadTask(
                withResumeData: data, progress: { if $0.completedUnitCount == 8_000 { progress.add(1) } },
                destination: { _, _ in target }, completionHandler: $0)
        }
        #expect(resumed.error == nil && resumed.file == target && resumed.response?.statusCode == 206 && progress.value > 0)
        #expect(try Data(contentsOf: target) == whole && bench.server.requestCount == 2)
    }

    @Test("invalidate(cancelling: false) lets the running requests end, and no other starts")
    func invalidated() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        let (asked, asking) = AsyncStream<Void>.makeStream()
        let answer = DispatchSemaphore(value: 0)
        bench.server.route("/*") { _ in
            asking.yield()
            answer.wait()
            return .json("[1]")
        }
        async let running = bench.get()
        for await _ in asked { break }
        bench.manager.invalidate(cancelling: false)
        #expect(await bench.get().failure?.kind == .sessionInvalidated)
        answer.signal()
        #expect(await running.value as? [Int] == [1])
        #expect(bench.server.requestCount == 1)
    }

    @Test("Running requests are listed by kind, in order, and invalidate ends them")
    func kinds() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.route("/*") { _ in .failure(.noAnswer) }
        let manager = bench.manager
        let group = DispatchGroup()
        manager.completionGroup = group
        let errors = Counter()
        let failure: HTTPSessionManager.FailureHandler = { _, error in
            if (error as? FirewheelError)?.kind == .sessionInvalidated { errors.add(1) }
        }
        let get = try request(bench)
        let data = manager.get("x", failure: failure)
        let upload = manager.post("x", constructingBodyWith: { _ in }, failure: failure)
        let download = manager.downloadTask(with: get) { _, _, error in if let error { failure(nil, error) } }.resume()
        #expect(manager.tasks == [data, upload, download])
        #expect(manager.dataTasks == [data] && manager.uploadTasks == [upload] && manager.downloadTasks == [download])
        manager.invalidate()
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
        #expect(errors.value == 3)
        let late = await bench.get()
        #expect(late.failure?.kind == .sessionInvalidated)
    }

    @Test("A manager of a session with policies uses them")
    func ownSession() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(MockResponse(status: 500), .json("[]"))
        var configuration = SessionConfiguration()
        configuration.baseURL = URL(string: server.url("/v2/"))
        let session = Session(configuration: configuration, interceptor: .retrier { _, _ in .retry })
        let manager = HTTPSessionManager(session: session)
        let value: Bool = await withCheckedContinuation { done in
            manager.get("x", success: { _, value in done.resume(returning: value is [Any]) })
        }
        #expect(value && manager.baseURL?.path.hasPrefix("/v2") == true)
        #expect(try await server.takeRequest().path == "/v2/x")
    }

    @Test("The progress of a response's body is that of get, on the completion queue")
    func progress() async throws {
        let bench = try ManagerBench()
        defer { bench.server.shutdown() }
        bench.server.enqueue(.json("[1,2,3]"))
        bench.manager.completionQueue = Place.queue("own")
        let counter = Counter()
        let outcome = await bench.outcome { success, failure in
            bench.manager.get(
                "x", progress: { counter.raise(to: Place.current == "own" ? Int($0.completedUnitCount) : 1000) }, success: success,
                failure: failure)
        }
        #expect(outcome.value as? [Int] == [1, 2, 3] && counter.value == 7)
    }
}
