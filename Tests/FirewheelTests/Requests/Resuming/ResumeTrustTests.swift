import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// When what there is proves too little: then the download begins at its first byte, and what there is stays until that has worked.
@Suite("Partial files that are not trusted", .timeLimit(.minutes(5)))
struct ResumeTrustTests {
    /// Ends a download in its middle, with what it said of itself while it ran and after that.
    private func ended(_ bench: ResumeBench) async throws -> (running: Data, left: Data) {
        bench.then { exchange, file in
            try file.answer(exchange, count: 40_000)
            exchange.waitForDisconnection()
        }
        let request = bench.download()
        let task = Task { await request.end }
        try await waitUntil("a part") { request.resumeData?.resumeCount == 40_000 }
        let running = try #require(request.resumeData)
        request.cancel(producingResumeData: true)
        let left = try #require(await task.value.resumeData)
        _ = try bench.takeRequest()
        return (running, left)
    }

    @Test("Data that was read while the download ran is trusted until the system is started again, and data of its end for ever")
    func boot() async throws {
        let bench = try ResumeBench()
        let (running, left) = try await ended(bench)
        var data = try ResumeData(running)
        #expect(try data.boot == BootID.current && ResumeData(left).boot == nil)
        data.boot = "another"
        let foreign = try #require(data.encoded())
        // As it was, if the download does not succeed.
        bench.then { exchange, _ in try ServedFile.send(503, ["Content-Length: 0"], to: exchange) }
        let refused = await bench.resume(foreign).end
        #expect(refused.kind == .downloadResumptionRefused(503) && refused.resumeData == foreign)
        try await bench.expectNothingLeft(partials: 1)
        try await bench.expectFile(resuming: foreign)
        #expect(try bench.takeRequests(2).allSatisfy { $0.header("Range") == nil })
        let (again, _) = try await ended(bench)
        try await bench.expectFile(resuming: again)
        #expect(try bench.takeRequest().header("Range") == "bytes=39999-")
    }

    @Test("A file that is gone on with is on the disk when it is left again, if the system was not started in between")
    func leftAgain() async throws {
        let bench = try ResumeBench()
        let (running, left) = try await ended(bench)
        bench.then { exchange, _ in try ServedFile.send(404, ["Content-Length: 0"], to: exchange) }
        #expect(await bench.resume(running).end.resumeData == left)
        try await bench.expectFile(resuming: left)
    }

    @Test("With another URL a modification date proves nothing: parts of a split archive have the same", arguments: [false, true])
    func otherURL(isOther: Bool) async throws {
        let bench = try ResumeBench(ServedFile(body: ServedFile.bytes(100_000), validator: .lastModified))
        let data = try await bench.lost()
        let url = bench.server.url(isOther ? "/archive.002" : "/file")
        // What the server has there is of the same size and date.
        if isOther { bench.served.body = ServedFile.bytes(100_000, seed: 7) }
        let request = bench.session.download(resumingWith: data, url: url, to: bench.destination)
        try await bench.expectFile(await request.end)
        #expect(try bench.takeRequest().header("Range") == (isOther ? nil : "bytes=39999-"))
    }

    @Test("A range of the caller's own is not sent, whether there is a partial file or not", arguments: [false, true])
    func ownRange(isGone: Bool) async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        if isGone { try FileManager.default.removeItem(at: bench.partials) }
        bench.thenLose(after: 1)
        let headers: HTTPHeaders = ["Range": "bytes=10-19", "If-Range": "\"v1\""]
        let request = bench.session.download(resumingWith: data, url: bench.server.url("/file"), headers: headers, to: bench.destination)
        request.retry { context, _ in context.retryCount < 1 ? .retry : .doNotRetry }
        try await bench.expectFile(await request.end)
        let ranges = try bench.takeRequests(2).map { $0.header("Range") }
        #expect(ranges == (isGone ? [nil, nil] : ["bytes=39999-", "bytes=39999-"]))
    }

    #if os(Linux)
        @Test("Without a free descriptor the download fails, and keeps what there is")
        func noDescriptor() async throws {
            // RLIMIT_NOFILE is that of a whole process.
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                let bench = try ResumeBench()
                let data = try await bench.lost()
                let usual = ResourceLimit.openFiles.set(0)
                let response = await bench.resume(data).end
                ResourceLimit.openFiles.set(usual)
                #expect(response.kind == .downloadedFileWriteFailed && response.resumeData == data)
                #expect("\(response)".contains(bench.temporary.path))
                try await bench.expectNothingLeft(partials: 1)
                try await bench.expectFile(resuming: data)
                #expect(try bench.takeRequest().header("Range") == "bytes=39999-")
            }
        }
    #endif
}
