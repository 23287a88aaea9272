import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// What a monitor of one's own finds in the context.
@Suite("What a monitor is told", .timeLimit(.minutes(5)))
struct RequestContextTests {
    private let recorder = EventRecorder()

    @Test("The command, the response, the body and the number of the attempt are there as soon as they can be")
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
        #expect(contexts("resume")[0].cURLDescription() == "$ curl command could not be created")
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

    @Test("A monitor that comes after the end is told the body with what follows, and a retrier has that of its attempt")
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

    @Test("Of a download there is the file, once it is where it stays, and no body")
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

    @Test("A context of one's own making has what it was given")
    func ownMaking() {
        let context = RequestContext(id: 1, data: Data("x".utf8), fileURL: URL(fileURLWithPath: "/tmp/x"))
        #expect(context.data == Data("x".utf8) && context.fileURL?.path == "/tmp/x" && context.request == nil)
    }
}
