import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("Download tasks", .timeLimit(.minutes(3)))
struct ConcurrencyDownloadTests {
    /// Released after the test, as requests that have not started fail with their session.
    private let session = Session()
    private func serve() throws -> MockServer {
        let server = try MockServer()
        server.route("/") { _ in .json("{\"n\":1}") }
        server.exchange("/endless") { exchange in
            try exchange.sendHead()
            while true { try exchange.sendChunk(Data(count: 1_000)) }
        }
        return server
    }

    @Test("Every kind of value is made from the file")
    func kinds() async throws {
        let server = try serve()
        #expect(try await session.download(server.url()).serializingData().value == Data("{\"n\":1}".utf8))
        #expect(try await session.download(server.url()).serializingString().value == "{\"n\":1}")
        #expect(try await session.download(server.url()).serializingDecodable(StreamNumber.self).value.n == 1)
        let value: StreamNumber = try await session.download(server.url()).serializingDecodable().value
        #expect(value.n == 1)
        #expect(try await session.download(server.url()).serializingDownload(using: .data).value.count == 7)
        #expect(try await session.download(server.url()).serializingDownload(using: .string).value.count == 7)
        let file = try await session.download(server.url()).serializingDownload(using: .url).value
        let response = await session.download(server.url()).serializingDownloadedFileURL().response
        let other = try #require(response.value)
        #expect(response.fileURL == other && response.response?.statusCode == 200 && response.metrics != nil)
        for file in [file, other] {
            #expect(try String(contentsOf: file, encoding: .utf8) == "{\"n\":1}")
            try FileManager.default.removeItem(at: file)
        }
    }

    @Test("Cancelling the task that awaits cancels the request, unless it may not")
    func cancelling() async throws {
        let server = try serve()
        let request = session.download(server.url("/endless"))
        let task = Task { await request.serializingData().response }
        task.cancel()
        #expect(await task.value.error != nil && request.isCancelled)

        let kept = session.download(server.url())
        let other = Task { await kept.serializingString(automaticallyCancelling: false).response }
        other.cancel()
        #expect(await other.value.error == nil && !kept.isCancelled)

        let direct = session.download(server.url("/endless"))
        let download = direct.serializingData()
        download.cancel()
        #expect(await download.response.error != nil && direct.isCancelled)
        let suspended = session.download(server.url())
        let waiting = suspended.serializingString()
        waiting.suspend()
        #expect(suspended.isSuspended || suspended.isFinished)
        waiting.resume()
        #expect(try await waiting.value == "{\"n\":1}")
    }

    @Test("Two tasks of one request may be cancelled at the same time", arguments: 0..<20)
    func concurrently(_ round: Int) async throws {
        let server = try serve()
        let request = session.download(server.url())
        let tasks = (0..<2).map { _ in Task { await request.serializingDecodable(StreamNumber.self).response } }
        await withTaskGroup(of: Void.self) { group in
            for task in tasks { group.addTask { task.cancel() } }
            for task in tasks { group.addTask { _ = await task.value } }
        }
    }
}
