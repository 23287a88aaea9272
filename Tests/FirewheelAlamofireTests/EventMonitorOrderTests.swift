import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("Order of the events of monitors", .timeLimit(.minutes(2)))
struct EventMonitorOrderTests {
    private let recorder = MonitorRecorder()
    private let sessions = SessionKeeper()

    private static let start = ["resume", "initial", "create", "task", "resumeTask"]

    private func session(
        setup: Session.RequestSetup = .lazy, startsImmediately: Bool = true, interceptor: (any RequestInterceptor)? = nil
    ) -> Session {
        sessions.keep(
            Session(startRequestsImmediately: startsImmediately, requestSetup: setup, interceptor: interceptor, eventMonitors: [recorder]))
    }

    @Test func ofASuccess() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        let response = await session().request(server.url()).validate().serializingString().response
        #expect(response.value == "hello")
        #expect(
            await recorder.events(until: "parse String")
                == Self.start + ["metrics", "validate 200", "validate 200", "complete", "finish", "parse String"])
        server.shutdown()
    }

    @Test func ofAResponseWithoutASerializer() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        session().request(server.url()).response(queue: .global()) { _ in }
        #expect(await recorder.events(until: "response") == Self.start + ["metrics", "complete", "finish", "response"])
        server.shutdown()
    }

    /// A failed validation is not the task's.
    @Test func ofARefusedResponse() async throws {
        let server = try MockServer()
        server.enqueue(.status(404))
        _ = await session().request(server.url()).validate().serializingData().response
        #expect(
            await recorder.events(until: "parse Data failed")
                == Self.start + ["metrics", "validate 404 failed", "complete", "finish", "parse Data failed"])
        server.shutdown()
    }

    @Test func ofABrokenConnection() async throws {
        let server = try MockServer()
        server.enqueue(.failure(.closeBeforeHead))
        _ = await session().request(server.url()).validate().serializingData().response
        #expect(
            await recorder.events(until: "parse Data failed") == Self.start + ["metrics", "complete failed", "finish", "parse Data failed"])
        server.shutdown()
    }

    @Test func ofARequestThatCannotBeMade() async {
        _ = await session().request("").serializingData().response
        #expect(await recorder.events(until: "parse Data failed") == ["resume", "create failed", "finish", "parse Data failed"])
    }

    // MARK: Adapters and retriers

    @Test func ofAnAdaptedRequest() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        let adapter = Adapter { request, _, completion in completion(.success(request)) }
        _ = await session(interceptor: adapter).request(server.url()).serializingData().response
        #expect(
            await recorder.events(until: "parse Data")
                == ["resume", "initial", "adapt", "create", "task", "resumeTask", "metrics", "complete", "finish", "parse Data"])
        server.shutdown()
    }

    @Test func ofAFailedAdapter() async {
        let adapter = Adapter { _, _, completion in completion(.failure(URLError(.userAuthenticationRequired))) }
        _ = await session(interceptor: adapter).request("http://localhost").serializingData().response
        #expect(await recorder.events(until: "parse Data failed") == ["resume", "initial", "adapt failed", "finish", "parse Data failed"])
    }

    @Test func ofARetry() async throws {
        let server = try MockServer()
        server.enqueue(.status(503), .text("hello"))
        let retrier = Retrier { _, _, _, completion in completion(.retryWithDelay(0.01)) }
        _ = await session().request(server.url(), interceptor: retrier).validate().serializingString().response
        #expect(
            await recorder.events(until: "parse String")
                == ["resume", "initial", "adapt", "create", "task", "resumeTask", "metrics", "validate 503 failed", "complete"]
                + ["retry", "initial", "adapt", "create", "task", "resumeTask", "metrics", "validate 200", "validate 200", "complete"]
                + ["finish", "parse String"])
        server.shutdown()
    }

    /// Retriers are asked when monitors know that the task has completed.
    @Test func theTaskCompletesBeforeTheRetrierAnswers() async throws {
        let server = try MockServer()
        server.enqueue(.status(503), .text("hello"))
        let recorder = recorder
        let retrier = Retrier { _, _, _, completion in
            Task {
                _ = await recorder.events(until: "complete")
                completion(.retry)
            }
        }
        let response = await session().request(server.url(), interceptor: retrier).validate().serializingString().response
        #expect(response.value == "hello")
        server.shutdown()
    }

    // MARK: Suspending, cancelling

    @Test func ofACancelDuringTheExchange() async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in _ = exchange.waitForDisconnection() }
        let request = session().request(server.url()).response(queue: .global()) { _ in }
        #expect(await server.waitForRequests(1))
        for _ in 0..<10 { request.cancel() }
        #expect(
            await recorder.events(until: "response failed")
                == Self.start + ["cancel", "cancelTask", "metrics", "complete failed", "finish", "response failed"])
        server.shutdown()
    }

    @Test func ofACancelBeforeTheStart() async {
        session(startsImmediately: false).request("http://localhost").response(queue: .global()) { _ in }.cancel()
        #expect(await recorder.events(until: "response failed") == ["cancel", "finish", "response failed"])
    }

    @Test func ofASuspension() async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead(headers: [("Content-Length", "5")])
            _ = exchange.waitForDisconnection()
        }
        let request = session().request(server.url()).response(queue: .global()) { _ in }
        #expect(await server.waitForRequests(1))
        request.suspend().suspend().resume().resume().suspend().cancel()
        #expect(
            await recorder.events(until: "response failed")
                == Self.start + ["suspend", "suspendTask", "resume", "resumeTask", "suspend", "suspendTask", "cancel", "cancelTask"]
                + ["metrics", "complete failed", "finish", "response failed"])
        server.shutdown()
    }

    @Test func ofARequestThatIsSuspendedBeforeItsStart() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        let request = session(startsImmediately: false).request(server.url()).response(queue: .global()) { _ in }
        request.suspend().resume()
        #expect(await recorder.events(until: "response") == ["suspend"] + Self.start + ["metrics", "complete", "finish", "response"])
        server.shutdown()
    }

    // MARK: Eager set-up

    @Test func ofAnEagerRequest() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        let request = session(setup: .eager, startsImmediately: false).request(server.url())
        #expect(await recorder.events(until: "task") == ["initial", "create", "task"])
        #expect(request.state == .initialized)
        #expect(request.tasks.count == 1)
        #expect(request.task?.originalRequest?.url?.absoluteString == server.url())
        request.response(queue: .global()) { _ in }.resume()
        #expect(
            await recorder.events(until: "response")
                == ["initial", "create", "task", "resume", "resumeTask", "metrics", "complete", "finish", "response"])
        server.shutdown()
    }

    @Test func ofAnEagerRequestThatIsSuspended() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        let request = session(setup: .eager, startsImmediately: false).request(server.url())
        _ = await recorder.events(until: "task")
        for _ in 0..<10 { request.suspend() }
        #expect(request.state == .suspended)
        #expect(await recorder.events(until: "suspendTask") == ["initial", "create", "task", "suspend", "suspendTask"])
        request.cancel()
        _ = await recorder.events(until: "finish")
        server.shutdown()
    }

    /// A task that was never resumed has metrics, too.
    @Test func ofAnEagerRequestThatIsCancelled() async throws {
        let request = session(setup: .eager, startsImmediately: false).request("http://localhost")
        _ = await recorder.events(until: "task")
        request.cancel()
        #expect(
            await recorder.events(until: "finish")
                == ["initial", "create", "task", "cancel", "cancelTask", "metrics", "complete failed", "finish"])
    }

    @Test func ofAnEagerRequestWithAFailedAdapter() async {
        let adapter = Adapter { _, _, completion in completion(.failure(URLError(.userAuthenticationRequired))) }
        let request = session(setup: .eager, startsImmediately: false, interceptor: adapter).request("http://localhost")
        #expect(await recorder.events(until: "finish") == ["initial", "adapt failed", "finish"])
        #expect(request.error != nil)
    }

    // MARK: Uploads, downloads

    @Test func ofAnUpload() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        _ = await session().upload(Data("x".utf8), to: server.url()).serializingData().response
        #expect(
            await recorder.events(until: "parse Data")
                == ["resume", "initial", "uploadable", "create", "task", "resumeTask", "metrics", "complete", "finish", "parse Data"])
        server.shutdown()
    }

    @Test func ofAnUploadOfAStream() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        _ = await session().upload(InputStream(data: Data("x".utf8)), to: server.url()).serializingData().response
        let events = await recorder.events(until: "parse Data")
        #expect(events.count { $0 == "inputStream" } == 1)
        #expect(events.count { $0 == "uploadable" } == 1)
        server.shutdown()
    }

    @Test func ofAForm() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        _ = await session().upload(multipartFormData: { $0.append(Data("x".utf8), withName: "x") }, to: server.url()).serializingData()
            .response
        #expect(
            await recorder.events(until: "parse Data")
                == ["resume", "initial", "uploadable", "create", "task", "resumeTask", "metrics", "complete", "finish", "parse Data"])
        server.shutdown()
    }

    @Test func ofAFormThatCannotBeEncoded() async {
        let missing = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        _ = await session().upload(multipartFormData: { $0.append(missing, withName: "x") }, to: "http://localhost").serializingData()
            .response
        #expect(await recorder.events(until: "parse Data failed") == ["resume", "uploadable failed", "finish", "parse Data failed"])
    }

    @Test func ofAFileThatIsMissing() async {
        let missing = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        _ = await session().upload(missing, to: "http://localhost").serializingData().response
        #expect(await recorder.events(until: "parse Data failed") == ["resume", "uploadable failed", "finish", "parse Data failed"])
    }

    @Test func ofADownload() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        session().download(server.url(), to: { _, _ in (file, []) }).validate().responseURL(queue: .global()) { _ in }
        #expect(
            await recorder.events(until: "parse URL")
                == Self.start + ["metrics", "validate 200", "validate 200", "destination", "download", "complete", "finish", "parse URL"])
        try FileManager.default.removeItem(at: file)
        server.shutdown()
    }

    @Test func ofADownloadThatCannotBePlaced() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())/missing")
        session().download(server.url(), to: { _, _ in (file, []) }).response(queue: .global()) { _ in }
        #expect(
            await recorder.events(until: "response failed")
                == Self.start + ["metrics", "destination", "download failed", "complete", "finish", "response failed"])
        server.shutdown()
    }

    // MARK: Streams

    @Test func ofAStream() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        let stream = session().streamRequest(server.url()).validate()
        stream.responseStreamString(on: .global()) { _ in }
        let events = await recorder.events(until: "finish")
        #expect(Array(events.prefix(7)) == Self.start + ["validate 200", "validate 200"])
        #expect(events.contains("stream String"))
        #expect(Array(events.suffix(3)) == ["metrics", "complete", "finish"])
        server.shutdown()
    }

    #if os(Linux)
        @Test(.enabled(if: (try? TestAuthority()) != nil, "no OpenSSL")) func ofAServerThatIsNotTrusted() async throws {
            let server = try MockServer(tls: MockTLS(TestAuthority().serverIdentity(for: ["localhost"])))
            let trust = ServerTrustManager(evaluators: ["localhost": DisabledTrustEvaluator()])
            let session = sessions.keep(Session(serverTrustManager: trust, eventMonitors: [recorder]))
            _ = await session.request("https://127.0.0.1:\(server.port)").serializingData().response
            #expect(
                await recorder.events(until: "parse Data failed")
                    == Self.start + ["early failed", "metrics", "complete failed", "finish", "parse Data failed"])
            server.shutdown()
        }
    #endif
}
