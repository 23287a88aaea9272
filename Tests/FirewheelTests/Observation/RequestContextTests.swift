import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// The values in the context that a custom monitor receives.
@Suite("The context that monitors receive", .timeLimit(.minutes(5)))
struct RequestContextTests {
    private let recorder = EventRecorder()

    @Test("A request's context has the curl command, response, body and attempt number as soon as they are known")
    func ofARequest() async throws {
        let count = Journal<Int>()
        let stub = StubTransport { _ in
            count.add(1)
            let status = count.count == 1 ? 503 : 200
            return [.response(ResponseHead(statusCode: status)), .finish(body: Data("body \(status)".utf8))]
        }
        let session = Session(transport: stub, eventMonitors: [recorder])
        let request = session.get("http://ann:s3cret@a.test/?token=s3cret").validate().retry { _, _ in .retry }
        _ = try await request.serializingString().value
        _ = try await recorder.words(until: "finish")
        let entries = recorder.journal.entries
        func contexts(_ word: String) -> [RequestContext] { entries.filter { $0.event.word.hasPrefix(word) }.map(\.context) }
        #expect(contexts("resume")[0].cURLDescription() == "# no curl command: there is no request")
        #expect(contexts("resume")[0].request == nil && contexts("resume")[0].data == nil)
        let created = contexts("createURLRequest")
        #expect(created.map(\.retryCount) == [0, 1])
        #expect(created.allSatisfy { $0.cURLDescription() == request.cURLDescription() && $0.data == nil })
        #expect(!created[0].cURLDescription().contains("s3cret"))
        #expect(created[0].cURLDescription(includingCredentials: true).contains("s3cret"))
        #expect(created[0].request?.redactedURL == "http://<redacted>@a.test/?token=<redacted>")
        #expect(contexts("receiveResponse").map { $0.response?.statusCode } == [503, 200])
        #expect(contexts("receiveResponse").allSatisfy { $0.data == nil })
        for word in ["gatherMetrics", "completeTask", "validate"] {
            #expect(contexts(word).map { $0.data } == [Data("body 503".utf8), Data("body 200".utf8)], "\(word)")
        }
        #expect(contexts("finish").map { $0.data } == [Data("body 200".utf8)])
        #expect(contexts("finish")[0].metrics?.transactionMetrics[0].request.redactedURL == "http://<redacted>@a.test/?token=<redacted>")
    }

    @Test("A monitor added after the end gets the body with later events, and a retrier gets the body of its attempt")
    func late() async throws {
        let seen = Journal<Data?>()
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 503)), .finish(body: Data("x".utf8))] }
        let session = Session(transport: stub)
        let request = session.get("http://a.test/").validate().retry { context, _ in
            seen.add(context.data)
            return .doNotRetry
        }
        _ = await request.serializingData().response
        #expect(seen.entries == [Data("x".utf8)])
        request.eventMonitor(recorder)
        _ = await request.serializingString().response
        try await waitUntil("the response") { !recorder.journal.entries.isEmpty }
        #expect(recorder.journal.entries[0].context.data == Data("x".utf8))
    }

    @Test("A download's context has the file once it is at its destination, and no body")
    func download() async throws {
        let session = Session(
            transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .chunk(Data("hello".utf8)), .finish()] },
            eventMonitors: [recorder])
        let file = try await session.download("http://a.test/").serializingDownloadedFileURL().value
        _ = try await recorder.words(until: "finish")
        #expect(recorder.context(of: "completeTask")?.fileURL == nil)
        #expect(recorder.context(of: "saveFile")?.fileURL == file && recorder.context(of: "finish")?.fileURL == file)
        #expect(recorder.context(of: "finish")?.data == nil)
        try FileManager.default.removeItem(at: file)
    }

    @Test("A context created by a caller has the given values")
    func ownMaking() {
        let context = RequestContext(id: 1, data: Data("x".utf8), fileURL: URL(fileURLWithPath: "/tmp/x"))
        #expect(context.data == Data("x".utf8) && context.fileURL?.path == "/tmp/x" && context.request == nil)
    }
}
