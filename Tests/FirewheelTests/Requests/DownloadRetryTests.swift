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
        // Not before both handlers are there: one that comes after the first attempt asks for no other.
        let session = Session(configuration: session.configuration, transport: stub, startRequestsImmediately: false)
        let request = session.download("https://a.test/", interceptor: retrier(.retry))
        let (urls, responses) = (Journal<URL?>(), Journal<DownloadResponse<Int>>())
        // The first handler takes the file of each attempt, and is called once.
        request.responseURL(queue: .global()) { urls.add($0.value) }
        request.responseDecodable(of: Int.self, queue: .global()) { responses.add($0) }
        request.resume()
        let response = try #require(try await responses.wait(for: 1).first)
        #expect(response.value == 7 && request.retryCount == 1 && asked.count == 1 && stub.requests.count == 2)
        #expect(asked.entries.map { kind($0) } == [.responseSerializationFailed(.decodingFailed)])
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

    enum End: CaseIterable { case cancel, cancelForData, invalidate, timeout }

    @Test(
        "The end of a request while a retry waits keeps the response and its file, and nothing is downloaded again", arguments: End.allCases
    )
    func ended(by end: End) async throws {
        func download() async throws -> URL? {
            let request = session.download("https://a.test/", interceptor: retrier(.retryWithDelay(600)))
            if end == .timeout { request.timeout(total: 0.5) }
            let task = Task { await request.serializingDecodable(Int.self).response }
            if end != .timeout { _ = try await asked.wait(for: 1) }
            switch end {
            case .cancel: request.cancel()
            case .cancelForData: request.cancel(producingResumeData: true)
            case .invalidate: session.invalidate()
            case .timeout: break
            }
            let response = await task.value
            #expect(kind(response.error) == .responseSerializationFailed(.decodingFailed))
            #expect(request.resumeData == nil && stub.requests.count == 1 && request.retryCount == 0)
            #expect(files.count == 1)
            return response.fileURL
        }
        let url = try #require(try await download())
        #expect(try Data(contentsOf: url) == Data("[".utf8))
        try FileManager.default.removeItem(at: url)
    }

    @Test("A serializer of the file that fails leaves the file to the library")
    func failingSerializer() async throws {
        struct Own: Error {}
        let failing = DownloadResponseSerializer<Int> { _, _, _, _ in .failure(Own()) }
        func download() async {
            #expect(await session.download("https://a.test/").serializingDownload(using: failing).response.error is Own)
        }
        await download()
        #expect(await eventually { files.isEmpty })
    }

    @Test("A file that nobody claims is removed with its request, also if a retry was cancelled")
    func unclaimed() async throws {
        func download() async throws {
            let request = session.download("https://a.test/", interceptor: retrier(.retryWithDelay(600)))
            let task = Task { await request.serializingDecodable(Int.self).response.error }
            _ = try await asked.wait(for: 1)
            request.cancel()
            #expect(kind(await task.value) == .responseSerializationFailed(.decodingFailed))
        }
        try await download()
        #expect(await eventually { files.isEmpty })
    }

    @Test("A cancel while the part of an earlier download is removed starts no retry", arguments: 0..<20)
    func cancelledMeanwhile(round: Int) async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        bench.served = ServedFile(body: Data("[".utf8), version: 2)
        let request = bench.session.download(resumingWith: data).retry { context, _ in context.retryCount < 3 ? .retry : .doNotRetry }
        let task = Task { await request.serializingDecodable(Int.self).response.error }
        // At any moment.
        for _ in 0..<round * 5 { await Task.yield() }
        request.cancel()
        let retries = request.retryCount
        #expect(await task.value != nil)
        #expect(request.retryCount == retries)
    }
}
