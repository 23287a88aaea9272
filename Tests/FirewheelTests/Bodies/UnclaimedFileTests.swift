import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Who removes the file of a download without a destination: the caller who got its URL, otherwise the library.
@Suite("Files of downloads that nobody claims", .timeLimit(.minutes(5)), .eachStorage)
struct UnclaimedFileTests {
    private let folder: DownloadTests.Folder
    private let session: Session

    init() throws {
        folder = try DownloadTests.Folder()
        var configuration = SessionConfiguration()
        configuration.temporaryDirectory = folder.url
        let head = ResponseHead(statusCode: 200, headers: TestStorage.current.headers)
        session = Session(
            configuration: configuration,
            transport: StubTransport { _ in [.response(head), .finish(body: Data("content".utf8))] })
    }

    /// All that is in the temporary folder, without the folder of partial files if it is empty.
    @Sendable private static func contents(_ folder: DownloadTests.Folder) -> [String]? {
        let partials = PartialFolder(in: folder.url.path).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: partials)) ?? []
        return (try? folder.contents).map { $0.filter { $0 != TestStorage.folderName } + names }
    }

    private var files: [String] { ((try? folder.contents) ?? []).filter { $0.hasSuffix(".tmp") } }

    private func expectNothing(_ location: SourceLocation = #_sourceLocation) async {
        let folder = folder
        #expect(await eventually { Self.contents(folder) == [] }, sourceLocation: location)
    }

    /// The caller has the URL: the file stays, without any object that knows of it, and no lock is left.
    private func expectKept(_ url: URL?, _ location: SourceLocation = #_sourceLocation) async throws {
        let folder = folder
        #expect(await eventually { Self.contents(folder) == url.map { [$0.lastPathComponent] } }, sourceLocation: location)
        #expect(try Data(contentsOf: #require(url)) == Data("content".utf8), sourceLocation: location)
        try FileManager.default.removeItem(at: #require(url))
    }

    private func finish(_ request: DownloadRequest) async throws {
        try await waitUntil("the end of the request") { request.isFinished }
    }

    @Test("A file whose URL is a value is the caller's")
    func values() async throws {
        try await expectKept(session.download("https://a.test/").serializingDownloadedFileURL().value)
        let done = Journal<URL?>()
        session.download("https://a.test/").response(queue: .global()) { done.add(try? $0.result.get()) }
        try await expectKept(done.wait(for: 1)[0])
        session.download("https://a.test/").responseURL(queue: .global()) { done.add($0.value) }
        try await expectKept(done.wait(for: 2)[1])
        let custom = DownloadResponseSerializer { _, _, url, _ in .success(url) }
        try await expectKept(session.download("https://a.test/").serializingDownload(using: custom).value)
    }

    @Test("A file whose URL was read from a response or a request is the caller's")
    func read() async throws {
        try await expectKept(session.download("https://a.test/").serializingString().response.fileURL)
        try await expectKept(session.download("https://a.test/").serializingString().response.temporaryURL)
        let request = session.download("https://a.test/")
        #expect(try await request.serializingString().value == "content")
        try await expectKept(request.fileURL)
    }

    @Test("A file of which only the content was used is removed with the request and its last response")
    func contentOnly() async throws {
        #expect(try await session.download("https://a.test/").serializingString().value == "content")
        await expectNothing()
        var response: DownloadResponse<Data>? = await session.download("https://a.test/").serializingData().response
        #expect(files.count == 1 && response?.description.contains("content") != nil && response?.debugDescription != nil)
        response = response?.map { $0 }
        #expect(files.count == 1)
        withExtendedLifetime(response) {}
        response = nil
        await expectNothing()
    }

    @Test("A request keeps its file for later handlers")
    func lateHandlers() async throws {
        var request: DownloadRequest? = session.download("https://a.test/")
        for _ in 0..<3 { #expect(try await request?.serializingString().value == "content") }
        #expect(files.count == 1)
        request = nil
        await expectNothing()
    }

    @Test("A download without a handler leaves nothing")
    func noHandler() async throws {
        try await finish(session.download("https://a.test/").resume())
        await expectNothing()
    }

    @Test("A download that fails, is refused, is retried or is cancelled leaves nothing")
    func failed() async throws {
        let refused = await session.download("https://a.test/").validate { _, _, _ in throw CancellationError() }
            .serializingDownloadedFileURL()
            .response
        #expect(refused.error != nil && refused.fileURL == nil)
        await expectNothing()
        let tries = Journal<Void>()
        let retried = try await session.download("https://a.test/").validate { _, _, _ in
            tries.add(())
            if tries.count < 3 { throw CancellationError() }
        }.retry { _, _ in .retry }.serializingString().value
        #expect(retried == "content" && tries.count == 3)
        await expectNothing()
        let request = session.download("https://a.test/").validate { _, _, _ in }
        request.validate { [weak request] _, _, _ in request?.cancel() }
        #expect(kind(await request.serializingString().response.error) == .explicitlyCancelled)
        await expectNothing()
    }

    @Test("A destination equal to the temporary file's path makes the file the caller's")
    func samePlace() async throws {
        let url = await session.download("https://a.test/", to: { url, _ in (url, []) }).serializingString().response.destinationURL
        try await expectKept(url)
    }
}
