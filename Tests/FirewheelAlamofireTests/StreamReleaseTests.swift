import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("The release of stream requests", .timeLimit(.minutes(3)))
struct StreamReleaseTests {
    /// Released after the test, as requests that have not started fail with their session.
    private let session = Session()
    private let queue = DispatchQueue(label: "streams")

    /// What closures capture. Sendable although it is used by nobody but the tests' weak references.
    private final class Captured: Sendable {}

    /// Attaches everything that can be attached, with closures that retain an object.
    private func attachAll(to request: DataStreamRequest, _ captured: Captured) {
        request
            .validate { _, _ in withExtendedLifetime(captured) { .success(()) } }
            .onHTTPResponse { _ in withExtendedLifetime(captured) {} }
            .onHTTPResponse(on: queue) { _, completion in withExtendedLifetime(captured) { completion(.allow) } }
            .onHTTPResponse { _ in
                await Task.yield()
                withExtendedLifetime(captured) {}
            }
            .onURLSessionTaskCreation { _ in withExtendedLifetime(captured) {} }
            .onURLSessionTaskCreation(on: queue) { _ in withExtendedLifetime(captured) {} }
            .responseStream { _ in withExtendedLifetime(captured) {} }
            .responseStream(on: queue) { _ in withExtendedLifetime(captured) {} }
            .responseStreamString(on: queue) { _ in withExtendedLifetime(captured) {} }
            .responseStreamDecodable(of: StreamNumber.self, on: queue) { _ in withExtendedLifetime(captured) {} }
        _ = (request.urlRequests(), request.urlSessionTasks(), request.cURLDescriptions(), request.httpResponses())
        _ = (request.uploadProgress(), request.downloadProgress())
        let task = request.streamTask()
        _ = (task.streamingData(), task.streamingStrings(), task.streamingData(bufferingPolicy: .bufferingNewest(1)))
    }

    @Test("A finished request leaves nothing behind, with every kind of observer and reader")
    func finished() async throws {
        let server = try MockServer.sending(["{\"n\":1}"])
        weak var released: DataStreamRequest?
        weak var captured: Captured?
        func run() async throws {
            let (request, object) = (session.streamRequest(server.url(), shouldAutomaticallyResume: false), Captured())
            (released, captured) = (request, object)
            attachAll(to: request, object)
            let (input, record) = (request.asInputStream(), StreamRecord<Data, Never>())
            request.responseStream(on: queue) { record.add($0) }
            input?.close()
            await record.ended()
            #expect(record.completions.first?.error == nil)
        }
        try await run()
        try await waitUntil("its release") { released == nil }
        try await waitUntil("its release") { captured == nil }
    }

    @Test("A request that is released before it was started leaves nothing behind, and its sequences end")
    func unstarted() async throws {
        let session = Session(startRequestsImmediately: false)
        defer { withExtendedLifetime(session) {} }
        weak var released: DataStreamRequest?
        weak var captured: Captured?
        func make() -> (StreamOf<URLRequest>, StreamOf<URLSessionTask>, StreamOf<Progress>) {
            let (request, object) = (session.streamRequest("http://localhost/"), Captured())
            (released, captured) = (request, object)
            attachAll(to: request, object)
            return (request.urlRequests(), request.urlSessionTasks(), request.downloadProgress())
        }
        let (requests, tasks, progress) = make()
        for await _ in requests { Issue.record("a request was made") }
        for await _ in tasks { Issue.record("a task was made") }
        for await _ in progress { Issue.record("something was received") }
        try await waitUntil("its release") { released == nil }
        try await waitUntil("its release") { captured == nil }
    }

    @Test("Data and download requests that are released before they were started leave nothing behind either")
    func otherKinds() async throws {
        let session = Session(startRequestsImmediately: false)
        defer { withExtendedLifetime(session) {} }
        weak var data: DataRequest?
        weak var download: DownloadRequest?
        func make() {
            let request = session.request("http://localhost/").response { _ in }.responseString(queue: queue) { _ in }
            request.onHTTPResponse { _, completion in completion(.allow) }.onURLSessionTaskCreation { _ in }
            let file = session.download("http://localhost/").response { _ in }.responseString(queue: queue) { _ in }
            _ = (request.serializingData(), file.serializingDownloadedFileURL(), request.urlSessionTasks())
            (data, download) = (request, file)
        }
        make()
        try await waitUntil("its release") { data == nil }
        try await waitUntil("its release") { download == nil }
    }
}
