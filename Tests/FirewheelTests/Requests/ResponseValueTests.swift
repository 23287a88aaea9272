import Firewheel
import Foundation
import Testing

/// Response values alone, as for previews and a user's tests.
@Suite("Response values")
struct ResponseValueTests {
    @Test("A response made by its initializer has what it was given")
    func made() throws {
        let request = try URLRequest(url: "http://a.test/", method: .put)
        let http = HTTPURLResponse(url: try "http://a.test/".asURL(), statusCode: 418, httpVersion: nil, headerFields: ["X-A": "1"])
        let timeline = Timeline(requestStartTime: 1, initialResponseTime: 2, requestCompletedTime: 3, serializationCompletedTime: 4)
        let response = DataResponse<Int>(request: request, response: http, data: Data([1]), timeline: timeline, result: .success(7))
        #expect(response.request == request && response.response === http && response.data == Data([1]) && response.metrics == nil)
        #expect(response.statusCode == 418 && response.headers["x-a"] == "1" && response.timeline == timeline)
        #expect(response.serializationDuration == 1)
        #expect(response.value == 7 && response.error == nil)
        let failed = DataResponse<Int>(request: nil, response: nil, data: nil, result: .failure(SomeError(number: 2)))
        #expect(failed.value == nil && failed.error as? SomeError == SomeError(number: 2))
        #expect(failed.request == nil && failed.response == nil && failed.statusCode == nil && failed.headers.isEmpty)
        #expect(failed.timeline == Timeline())
        let url = URL(fileURLWithPath: "/tmp/x")
        let download = DownloadResponse<URL>(request: request, response: http, temporaryURL: url, result: .success(url))
        #expect(download.fileURL == url && download.destinationURL == nil && download.value == url && download.statusCode == 418)
        let moved = DownloadResponse<URL>(request: nil, response: nil, temporaryURL: url, destinationURL: url, result: .success(url))
        #expect(moved.fileURL == url && moved.temporaryURL == url)
    }

    @Test("A response whose value is Sendable is Sendable")
    func sendable() async {
        let response = DataResponse<Int>(request: nil, response: nil, data: nil, result: .success(3))
        let download = DownloadResponse<String>(request: nil, response: nil, result: .success("x"))
        func send<Value: Sendable>(_ value: Value) async -> Value { await Task.detached { value }.value }
        #expect(await send(response).value == 3)
        #expect(await send(download).value == "x")
    }

    @Test("A response gives the same request, response and metrics each time, also from many threads")
    func builtOnce() async throws {
        let session = session(answering: 201, ["X-A": "1"], body: "x")
        let response = await session.request("http://stub.test/").serializingData().response
        let seen = Journal<ObjectIdentifier?>()
        await onThreads(8) { _ in seen.add(response.response.map { ObjectIdentifier($0) }) }
        #expect(seen.count == 8 && Set(seen.entries).count == 1 && seen.entries[0] != nil)
        #expect(response.request?.url?.absoluteString == "http://stub.test/")
        #expect(response.metrics?.transactionMetrics.count == 1)
        withExtendedLifetime(session) {}
    }

    @Test("Response headers keep their order, case and repeated fields")
    func headers() async throws {
        let sent = HTTPHeaders(received: [
            HTTPHeader(name: "Set-Cookie", value: "a=1, b"), HTTPHeader(name: "x-Case", value: "1"),
            HTTPHeader(name: "Set-Cookie", value: "c=2"),
        ])
        let session = session(sent, body: "x")
        let response = await session.request("http://stub.test/").serializingData().response
        #expect(response.headers == sent && response.headers.map(\.name) == ["Set-Cookie", "x-Case", "Set-Cookie"])
        #expect(response.headers.values(for: "set-cookie") == ["a=1, b", "c=2"])
        #expect(response.response?.value(forHTTPHeaderField: "X-CASE") == "1")
        withExtendedLifetime(session) {}
    }

    @Test("The description shows status, size, result and times, and cuts a large body at 100 kB")
    func description() async throws {
        let session = session(answering: 201, body: String(repeating: "x", count: 1_000_000))
        let response = await session.request("http://user:hunter2@stub.test/").serializingString().response
        #expect(response.description.contains("201") && response.description.contains("1000000 bytes"))
        #expect(response.description.contains("Timeline"))
        #expect(!response.description.contains("hunter2"))
        #expect(response.description.utf8.count < 110_000)
        withExtendedLifetime(session) {}
    }
}
