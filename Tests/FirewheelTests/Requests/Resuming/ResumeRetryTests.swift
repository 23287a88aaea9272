import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// What becomes of what was downloaded when a request is retried, times out, or loses its session.
@Suite("Retries and timeouts of downloads", .timeLimit(.minutes(5)))
struct ResumeRetryTests {
    private static let retrier = Retrier { context, _ in context.retryCount < 1 ? .retry : .doNotRetry }

    private static func stall(after count: Int) -> ResumeBench.Answer {
        { exchange, file in
            try file.answer(exchange, count: count)
            exchange.waitForDisconnection()
        }
    }

    @Test("A retry goes on after a lost connection, and begins again without a strong validator", arguments: ServedFile.Validator.allCases)
    func lost(_ validator: ServedFile.Validator) async throws {
        let bench = try ResumeBench(ServedFile(body: ServedFile.bytes(100_000), validator: validator), interceptor: Self.retrier)
        bench.thenLose(after: 40_000)
        let request = bench.download()
        let response = await request.end
        try await bench.expectFile(response)
        #expect(request.retryCount == 1)
        let second = try bench.takeRequests(2)[1]
        #expect(second.header("Range") == (validator.isStrong ? "bytes=39999-" : nil))
        #expect(second.header("If-Range") != nil || !validator.isStrong)
    }

    @Test("A retry goes on after the idle timeout, and the library's own policy resumes as well")
    func idle() async throws {
        let bench = try ResumeBench(interceptor: RetryPolicy(limit: 2, backoff: .constant(0)))
        bench.then(Self.stall(after: 40_000))
        bench.thenLose(after: 10_000)
        // Longer than a busy machine takes to send what there is.
        let request = bench.download().timeout(idle: 6)
        try await bench.expectFile(await request.end)
        #expect(try bench.takeRequests(3).map { ServedFile.start($0) } == [nil, 39_999, 49_998])
    }

    @Test("Timeouts keep the data")
    func timedOut() async throws { try await atOnce([false, true], timedOut) }

    @Sendable private func timedOut(isTotal: Bool) async throws {
        let bench = try ResumeBench()
        bench.then(Self.stall(after: 40_000))
        let request = bench.download().timeout(idle: isTotal ? nil : 6, total: isTotal ? 6 : nil)
        let response = await request.end
        #expect(response.kind == .transportFailed(.timedOut))
        let data = try #require(response.resumeData)
        #expect(data.resumeCount == 40_000)
        try await bench.expectNothingLeft(partials: 1)
        try await bench.expectFile(resuming: data)
    }

    @Test("The end of a session keeps the data, also that of a retry that waits", arguments: [false, true])
    func invalidated(waits: Bool) async throws {
        let bench = try ResumeBench()
        if waits { bench.thenLose(after: 40_000) } else { bench.then(Self.stall(after: 40_000)) }
        let session = Session(configuration: .with { $0.temporaryDirectory = bench.temporary })
        let hasDecided = Journal<Int>()
        let request = session.download(bench.server.url("/file"), to: bench.destination).retry { _, _ in
            hasDecided.add(1)
            return .retryWithDelay(600)
        }
        let task = Task { await request.end }
        if waits {
            _ = try await hasDecided.wait(for: 1)
            #expect(request.resumeData?.resumeCount == 40_000)
        } else {
            try await waitUntil("a part") { request.resumeData?.resumeCount == 40_000 }
        }
        session.invalidate()
        let response = await task.value
        #expect(response.kind == .sessionInvalidated)
        try await bench.expectFile(resuming: #require(response.resumeData))
    }

    @Test("A cancelled wait for a retry, and a retrier that gives up with its own error, keep the data")
    func givenUp() async throws {
        struct GaveUp: Error {}
        let bench = try ResumeBench()
        bench.thenLose(after: 40_000)
        let hasDecided = Journal<Int>()
        let waiting = bench.download().retry { _, _ in
            hasDecided.add(1)
            return .retryWithDelay(600)
        }
        let task = Task { await waiting.end }
        _ = try await hasDecided.wait(for: 1)
        waiting.cancel(producingResumeData: true)
        let cancelled = await task.value
        #expect(cancelled.kind == .explicitlyCancelled)
        let data = try #require(cancelled.resumeData)
        bench.thenLose(after: 10_000)
        let failed = await bench.resume(data).retry { _, _ in .doNotRetryWithError(GaveUp()) }.end
        #expect(failed.kind == .requestRetryFailed && failed.resumeData?.resumeCount == 49_999)
        try await bench.expectFile(resuming: #require(failed.resumeData))
    }

    @Test("A response that validation refused is no file to resume, and a retry of it begins again")
    func invalid() async throws {
        let bench = try ResumeBench(interceptor: Self.retrier)
        struct Refused: Error {}
        let response = await bench.download().validate { _, _, _ in throw Refused() }.end
        #expect(response.error != nil && response.resumeData == nil)
        #expect(try bench.takeRequests(2).allSatisfy { $0.header("Range") == nil })
        try await bench.expectNothingLeft()
    }

    @Test("maximumResponseBodySize is that of the whole file, not of the rest")
    func tooLarge() async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        for limit in [99_999, 100_000] {
            let limited = Session(
                configuration: .with {
                    $0.temporaryDirectory = bench.temporary
                    $0.maximumResponseBodySize = limit
                })
            let response = await limited.download(resumingWith: data, to: bench.destination).end
            #expect(response.kind == (limit < 100_000 ? .responseBodyTooLarge : nil))
            // What there is can be gone on with under another limit.
            if limit < 100_000 { #expect(response.resumeData == data && bench.partialFiles.count == 1) }
        }
        #expect(try Data(contentsOf: bench.target) == bench.body)
        try await bench.expectNothingLeft()
    }

    @Test("A request has resume data as long as there is a partial file: in retriers, in validation and in the destination closure")
    func always() async throws {
        let bench = try ResumeBench()
        bench.thenLose(after: 40_000)
        let seen = Journal<Int64?>()
        let own = Locked<DownloadRequest?>(nil)
        let look: @Sendable () -> Void = { seen.add(own.withLock { $0?.resumeData?.resumeCount }) }
        let target = bench.target
        let request = bench.session.download(bench.server.url("/file")) { _, _ in
            look()
            return (target, [.removePreviousFile])
        }
        own.withLock { $0 = request }
        request.validate { _, _, _ in look() }
        request.retry { _, _ in
            look()
            return .retry
        }
        try await bench.expectFile(await request.end)
        #expect(seen.entries == [40_000, 100_000, 100_000] && request.resumeData == nil)
        own.withLock { $0 = nil }
    }

    @Test("A retry of a request with an own If-Range begins again at 0 in its progress")
    func ownCondition() async throws {
        let bench = try ResumeBench(interceptor: Self.retrier)
        let part: @Sendable (Int) -> ResumeBench.Answer = { count in
            { exchange, file in
                let fields = ["Content-Range: bytes 0-99999/100000", "Content-Length: 100000"] + file.fields
                try ServedFile.send(206, fields, to: exchange)
                try exchange.sendBytes(file.body.prefix(count))
            }
        }
        bench.then(part(60_000))
        bench.then(part(100_000))
        let seen = Journal<Bool>()
        let headers: HTTPHeaders = ["Range": "bytes=0-", "If-Range": "\"v1\""]
        let request = bench.session.download(bench.server.url("/file"), headers: headers, to: bench.destination)
        request.downloadProgress(queue: DispatchQueue(label: "progress")) { seen.add($0.completedUnitCount <= 100_000) }
        try await bench.expectFile(await request.end)
        #expect(request.retryCount == 1 && !seen.entries.contains(false))
        #expect(request.downloadProgress.completedUnitCount == 100_000 && request.downloadProgress.totalUnitCount == 100_000)
    }

    @Test("The progress of a resumed download begins where it stopped")
    func progress() async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        let seen = Journal<[Int64]>()
        let request = bench.resume(data)
        request.downloadProgress(queue: DispatchQueue(label: "progress")) { seen.add([$0.completedUnitCount, $0.totalUnitCount]) }
        try await bench.expectFile(await request.end)
        try await waitUntil("the last change") { seen.entries.last?[0] == 100_000 }
        #expect(seen.entries.allSatisfy { $0[0] >= 39_999 } && seen.entries.map { $0[0] } == seen.entries.map { $0[0] }.sorted())
        #expect(seen.entries.last == [100_000, 100_000])
        // Another file begins at 0 again.
        let other = try await bench.lost()
        bench.served = ServedFile(body: ServedFile.bytes(50_000, seed: 5), version: 3)
        let replaced = bench.resume(other)
        _ = replaced.downloadProgress
        try await bench.expectFile(await replaced.end)
        #expect(replaced.downloadProgress.completedUnitCount == 50_000 && replaced.downloadProgress.totalUnitCount == 50_000)
    }
}
