import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Retries of downloads whose serializer fails: asked for as long as no file was moved to a destination.
@Suite("Retries of downloads whose serializer fails", .timeLimit(.minutes(5)), .eachStorage)
struct DownloadRetryTests {
    private let folder: DownloadTests.Folder
    private let stub: StubTransport
    private let session: Session
    private let asked = Journal<any Error>()

    /// The first response is no number, the others are.
    init() throws {
        folder = try DownloadTests.Folder()
        var configuration = SessionConfiguration()
        configuration.temporaryDirectory = folder.url
        let head = ResponseHead(statusCode: 200, headers: TestStorage.current.headers)
        stub = StubTransport { request in [.response(head), .finish(body: Data((request.id.attempt == 0 ? "[" : "7").utf8))] }
        session = Session(configuration: configuration, transport: stub)
    }

    private func retrier(_ answer: RetryResult) -> Retrier {
        Retrier { context, error in
            asked.add(error)
            return context.retryCount == 0 ? answer : .doNotRetry
        }
    }

    private var files: [String] { ((try? folder.contents) ?? []).filter { $0.hasSuffix(".tmp") } }

    @Test("A download without a destination is downloaded again, and the file of the failed attempt is removed")
    func again() async throws {
        let request = session.download("https://a.test/", interceptor: retrier(.retry))
        let urls = Journal<URL?>()
        // The first handler takes the file of each attempt, and is called once.
        request.responseURL(queue: .global()) { urls.add($0.value) }
        let response = await request.serializingDecodable(Int.self).response
        #expect(response.value == 7 && request.retryCount == 1 && asked.count == 1 && stub.requests.count == 2)
        #expect(kind(asked.entries[0]) == .responseSerializationFailed(.decodingFailed))
        let url = try #require(try await urls.wait(for: 1)[0])
        #expect(urls.count == 1)
        #expect(try Data(contentsOf: url) == Data("7".utf8))
        #expect(await eventually { files == [url.lastPathComponent] })
        try FileManager.default.removeItem(at: url)
    }

    @Test("A download with a destination is not: its file was moved")
    func moved() async throws {
        let target = folder.file("file")
        let request = session.download("https://a.test/", to: { _, _ in (target, []) }, interceptor: retrier(.retry))
        let response = await request.serializingDecodable(Int.self).response
        #expect(kind(response.error) == .responseSerializationFailed(.decodingFailed))
        #expect(asked.count == 0 && stub.requests.count == 1)
        #expect(try Data(contentsOf: target) == Data("[".utf8))
    }

    @Test("What retriers answer otherwise counts, too")
    func refused() async throws {
        struct Own: Error {}
        let response = await session.download("https://a.test/", interceptor: retrier(.doNotRetryWithError(Own())))
            .serializingDecodable(Int.self).response
        #expect(kind(response.error) == .requestRetryFailed && asked.count == 1)
        #expect(response.error?.asFirewheelError?.originalError is FirewheelError)
        let kept = await session.download("https://a.test/", interceptor: retrier(.doNotRetry)).serializingDecodable(Int.self).response
        #expect(kind(kept.error) == .responseSerializationFailed(.decodingFailed))
        // The file is there to be looked at.
        let url = try #require(kept.fileURL)
        #expect(try Data(contentsOf: url) == Data("[".utf8))
        try FileManager.default.removeItem(at: url)
    }

    @Test("A cancel while a retry waits ends the download, and no file is left", arguments: [false, true])
    func cancelled(producesResumeData: Bool) async throws {
        let request = session.download("https://a.test/", interceptor: retrier(.retryWithDelay(600)))
        let task = Task { await request.serializingDecodable(Int.self).response.error }
        _ = try await asked.wait(for: 1)
        request.cancel(producingResumeData: producesResumeData)
        let error = await task.value
        // The response was made before.
        #expect(kind(error) == .responseSerializationFailed(.decodingFailed))
        #expect(request.isCancelled && kind(request.error) == .explicitlyCancelled && request.resumeData == nil)
        #expect(stub.requests.count == 1)
        #expect(await eventually { files.isEmpty })
    }
}
