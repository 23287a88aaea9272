import Firewheel
import Foundation
import Testing

/// Downloads that go on where they stopped, from a server with ETags and ranges of its own.
@Suite("nginx: resumed downloads", .needs(.plain), .timeLimit(.minutes(5)))
struct NginxResumeTests {
    @Test("A download cancelled twice goes on with the rest of 8 MiB, and ends in the same bytes", arguments: TestServer.everyProtocol)
    func cancelled(server: TestServer) async throws {
        let folder = try DownloadTests.Folder()
        let session = try server.session(.with { $0.temporaryDirectory = folder.url })
        var data: Data?
        var counts: [Int64] = []
        for _ in 0..<2 {
            let request = try data.map { session.download(resumingWith: $0) } ?? session.download(server.url("/slow/lines"))
            let before = counts.last ?? 0
            // By the closure, because on a busy machine a test may go on only when the download has ended.
            request.downloadProgress(queue: .global()) { [weak request] progress in
                if progress.completedUnitCount > before + 500_000 { request?.cancel(producingResumeData: true) }
            }
            let response = await request.serializingDownloadedFileURL().response
            #expect(response.error?.asFirewheelError?.isExplicitlyCancelled == true)
            data = response.resumeData
            #expect(data != nil)
            counts.append(request.downloadProgress.completedUnitCount)
        }
        let last = session.download(resumingWith: try #require(data))
        let response = await last.validate(statusCode: [206]).serializingDownloadedFileURL().response
        let isSame = try Data(contentsOf: response.result.get()) == linesContent
        #expect(isSame && counts[1] > counts[0] && last.downloadProgress.completedUnitCount == Int64(linesContent.count))
        // The rest, and not the whole.
        let received = response.metrics?.transactionMetrics.last?.countOfResponseBodyBytesReceived ?? 0
        #expect(received > 0 && received <= Int64(linesContent.count) - counts[1] + 1)
        withExtendedLifetime(session) {}
    }

    @Test("A download whose upstream is lost goes on by a retry", arguments: TestServer.everyProtocol)
    func lost(server: TestServer) async throws {
        let folder = try DownloadTests.Folder()
        let session = try server.session(.with { $0.temporaryDirectory = folder.url })
        // The upstream stops after half of the file, also of the rest of it.
        let response = await session.download(try server.url("/broken/lines")).retry { context, _ in
            context.retryCount < 3 ? .retry : .doNotRetry
        }.serializingDownloadedFileURL().response
        let isSame = try Data(contentsOf: response.result.get()) == linesContent
        #expect(isSame && response.statusCode == 206, "\(response)")
        withExtendedLifetime(session) {}
    }
}
