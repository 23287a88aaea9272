import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// What validation refuses never costs what was there before.
@Suite("Resumed downloads that are refused", .timeLimit(.minutes(5)))
struct ResumeRefusalTests {
    /// How a download ends whose response was refused, and that a retrier thinks about.
    enum End: CaseIterable, Sendable {
        case cancelled, cancelledInDelay, invalidated, timedOut, givenUp

        /// Those that do not take seconds.
        static let quick = allCases.filter { $0 != .timedOut }
    }

    private struct GaveUp: Error {}

    /// A page that looks like a file, as that of a captive portal.
    private static let page: ResumeBench.Answer = { exchange, _ in
        try ServedFile.send(200, ["Content-Type: text/html", "ETag: \"page\"", "Content-Length: 5"], to: exchange)
        try exchange.sendBytes(Data("login".utf8))
    }

    /// Refuses a response, and ends the download while the retrier decides or waits.
    private func end(
        _ end: End, in bench: ResumeBench, _ make: (Session) -> DownloadRequest
    ) async throws -> (DownloadResponse<URL>, running: Data?) {
        let session = Session(configuration: .with { $0.temporaryDirectory = bench.temporary })
        let hasDecided = Journal<Bool>()
        let request = make(session).validate(contentType: ["application/zip"]).retry { _, _ in
            hasDecided.add(true)
            switch end {
            case .cancelledInDelay, .invalidated: return .retryWithDelay(600)
            case .givenUp: return .doNotRetryWithError(GaveUp())
            case .cancelled, .timedOut:
                try? await Task.sleep(nanoseconds: 600_000_000_000)
                return .doNotRetry
            }
        }
        // Long enough to get to the retrier.
        if end == .timedOut { request.timeout(total: 8) }
        let task = Task { await request.end }
        _ = try await hasDecided.wait(for: 1)
        let running = end == .givenUp ? nil : request.resumeData
        switch end {
        case .cancelled, .cancelledInDelay: request.cancel(producingResumeData: true)
        case .invalidated: session.invalidate()
        case .timedOut, .givenUp: break
        }
        return (await task.value, running)
    }

    @Test("A page that validation refuses does not replace the part, however the download ends then", arguments: End.quick)
    func page(_ end: End) async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        bench.then(Self.page)
        let (response, running) = try await self.end(end, in: bench) { $0.download(resumingWith: data, to: bench.destination) }
        #expect(response.error != nil && response.resumeData == data && (response.error as? FirewheelError)?.resumeData == data)
        #expect(end == .givenUp || running == data)
        try await bench.expectNothingLeft(partials: 1)
        try await bench.expectFile(resuming: data)
    }

    @Test("A new file that validation refuses has no resume data, however the download ends then", arguments: End.quick)
    func new(_ end: End) async throws {
        let bench = try ResumeBench()
        bench.then(Self.page)
        let (response, running) = try await self.end(end, in: bench) { $0.download(bench.server.url("/file"), to: bench.destination) }
        #expect(response.error != nil && response.resumeData == nil && running == nil)
        try await bench.expectNothingLeft()
    }

    @Test("A retrier's decision that comes after the time of the download costs nothing either")
    func timedOut() async throws {
        try await atOnce([0, 1, 2]) { number in
            switch number {
            case 0: try await page(.timedOut)
            case 1: try await new(.timedOut)
            default: try await part(.timedOut)
            }
        }
    }

    @Test("A page that was not validated yet does not replace a larger part")
    func unvalidated() async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        bench.then(Self.page)
        let request = bench.resume(data)
        request.validate { [weak request] _, _, _ in request?.cancel(producingResumeData: true) }
        let response = await request.end
        #expect(response.kind == .explicitlyCancelled && response.resumeData == data)
        try await bench.expectNothingLeft(partials: 1)
        // Nor does the beginning of one.
        bench.then { exchange, _ in
            try ServedFile.send(200, ["Content-Type: text/html", "ETag: \"page\"", "Content-Length: 5000"], to: exchange)
            try exchange.sendBytes(Data(count: 4_000))
        }
        let lost = await bench.resume(data).validate(contentType: ["application/zip"]).end
        #expect(lost.kind == .transportFailed(.networkConnectionLost) && lost.resumeData == data)
        try await bench.expectNothingLeft(partials: 1)
        try await bench.expectFile(resuming: data)
    }

    @Test("The rest of a file that validation refuses is kept with what was there before", arguments: [nil] + End.quick)
    func part(_ end: End?) async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        let make: (Session) -> DownloadRequest = { $0.download(resumingWith: data, to: bench.destination) }
        // The 206 has no Content-Type, which is all that is wrong with it.
        let response: DownloadResponse<URL>
        if let end {
            response = try await self.end(end, in: bench, make).0
        } else {
            response = await make(bench.session).validate(contentType: ["application/zip"]).end
            #expect(response.kind == .responseValidationFailed(.missingContentType(acceptable: ["application/zip"])))
        }
        let kept = try #require(response.resumeData)
        #expect(kept.resumeCount == 100_000)
        try await bench.expectNothingLeft(partials: 1)
        _ = try bench.takeRequest()
        // The older data is as good as before.
        try await bench.expectFile(resuming: end == nil ? data : kept)
    }

    @Test("A retry after a refused rest asks for the whole file, and what was there stays until that is complete")
    func partRetried() async throws {
        for loses in [true, false] {
            let bench = try ResumeBench()
            let data = try await bench.lost()
            bench.then { try $1.answer($0) }
            if loses {
                bench.thenLose(after: 30_000)
            } else {
                bench.then { exchange, file in
                    try ServedFile.send(200, file.fields + ["Content-Type: application/zip", "Content-Length: 100000"], to: exchange)
                    try exchange.sendBytes(file.body)
                }
            }
            let request = bench.resume(data).validate(contentType: ["application/zip"]).retry { context, _ in
                context.retryCount < 1 ? .retry : .doNotRetry
            }
            let response = await request.end
            #expect(try bench.takeRequests(2).map { ServedFile.start($0) } == [39_999, nil])
            guard loses else {
                try await bench.expectFile(response)
                continue
            }
            #expect(response.resumeData?.resumeCount == 100_000)
            try await bench.expectNothingLeft(partials: 1)
            try await bench.expectFile(resuming: data)
        }
    }

    @Test("A cancelled download leaves nothing of a refused rest")
    func cancelled() async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        let hasDecided = Journal<Bool>()
        let request = bench.resume(data).validate(contentType: ["application/zip"]).retry { _, _ in
            hasDecided.add(true)
            return .retryWithDelay(600)
        }
        let task = Task { await request.end }
        _ = try await hasDecided.wait(for: 1)
        request.cancel()
        #expect(await task.value.resumeData == nil)
        try await bench.expectNothingLeft()
    }

    @Test("A part that nobody asked for is an error, and not the whole file (RFC 9110 section 15.3.7)")
    func unrequested() async throws {
        let bench = try ResumeBench()
        let part: ResumeBench.Answer = { exchange, file in
            try ServedFile.send(206, ["Content-Range: bytes 0-9/100000", "Content-Length: 10"] + file.fields, to: exchange)
            try exchange.sendBytes(file.body.prefix(10))
        }
        bench.then(part)
        let response = await bench.download().end
        #expect(response.kind == .transportFailed(.badServerResponse) && response.resumeData == nil)
        try await bench.expectNothingLeft()
        // Also if the partial file is gone, so that the whole file is asked for.
        let data = try await bench.lost()
        for file in bench.partialFiles { try FileManager.default.removeItem(at: bench.partials.appendingPathComponent(file)) }
        _ = try bench.takeRequest()
        bench.then(part)
        #expect(await bench.resume(data).end.kind == .transportFailed(.badServerResponse))
        #expect(try bench.takeRequest().header("Range") == nil)
        try await bench.expectNothingLeft()
        // The caller's own range is the caller's business.
        bench.then(part)
        let own = await bench.session.download(bench.server.url("/file"), headers: ["Range": "bytes=0-9"], to: bench.destination).end
        #expect(own.error == nil)
        #expect(try Data(contentsOf: bench.target) == bench.body.prefix(10))
    }

    /// What it says of itself in `Content-Range`, although its status is 200, decides (RFC 9110 section 14.4 gives it no meaning there).
    @Test("A part with the status 200 is not taken for the whole file", arguments: [200, 203])
    func partAsWhole(status: Int) async throws {
        let slice: ResumeBench.Answer = { exchange, file in
            let start = ServedFile.start(exchange.request) ?? 39_999
            let rest = file.body.dropFirst(start)
            let range = "Content-Range: bytes \(start)-\(file.body.count - 1)/\(file.body.count)"
            try ServedFile.send(status, [range, "Content-Length: \(rest.count)"] + file.fields, to: exchange)
            try exchange.sendBytes(rest)
        }
        let bench = try ResumeBench()
        // The whole file is asked for instead.
        let data = try await bench.lost()
        bench.then(slice)
        try await bench.expectFile(resuming: data)
        #expect(try bench.takeRequests(2).map { ServedFile.start($0) } == [39_999, nil])
        bench.thenLose(after: 40_000)
        bench.then(slice)
        let retried = await bench.download().retry { context, _ in context.retryCount < 1 ? .retry : .doNotRetry }.end
        try await bench.expectFile(retried)
        #expect(try bench.takeRequests(3).map { ServedFile.start($0) } == [nil, 39_999, nil])
        // A server that sends the part even then leaves what there was.
        let second = try await bench.lost()
        for _ in 0..<2 { bench.then(slice) }
        let refused = await bench.resume(second).end
        #expect(refused.kind == .downloadResumptionRefused(status) && refused.resumeData == second)
        #expect(try bench.takeRequests(2).map { ServedFile.start($0) } == [39_999, nil])
        try await bench.expectFile(resuming: second)
        _ = try bench.takeRequest()
        // Nor is it the whole where nothing was there before.
        bench.then(slice)
        let plain = await bench.download().end
        #expect(plain.kind == .transportFailed(.badServerResponse) && plain.resumeData == nil)
        try await bench.expectNothingLeft()
        bench.then(slice)
        let own = await bench.session.download(bench.server.url("/file"), headers: ["Range": "bytes=39999-"], to: bench.destination).end
        #expect(own.error == nil)
        #expect(try Data(contentsOf: bench.target) == bench.body.dropFirst(39_999))
    }

    @Test(
        "A successful response that says that it is a part, which nobody asked for, is an error for data requests and streams too",
        arguments: [
            ("bytes 5-9/10", true), ("bytes 0-4/10", true), ("Bytes 5-9/*", true), ("bytes 0-9/10", false), ("bytes 0-4/*", false),
            ("bytes */10", false), ("items 0-4/10", false), ("0-4/10", false), ("bytes 9-5/10", false), ("bytes 5-9", false), ("", false),
            ("bytes 5-99999999999999999999/*", false), ("bytes 5-9223372036854775807/*", false),
        ])
    func partAsContent(value: String, isPart: Bool) async throws {
        let stub = StubTransport { request in
            let status = request.target.string.hasSuffix("404") ? 404 : 200
            let head = ResponseHead(statusCode: status, headers: ["Content-Range": value, "Content-Length": "5"])
            return [.response(head), .finish(body: request.method == .head ? nil : Data("56789".utf8))]
        }
        let session = Session(transport: stub)
        let expected: FirewheelError.Kind? = isPart ? .transportFailed(.badServerResponse) : nil
        #expect(await session.request("http://stub.test/").raw().kind == expected)
        #expect(await session.post("http://stub.test/").raw().kind == expected)
        var streamed: FirewheelError.Kind?
        do {
            for try await _ in session.streamRequest("http://stub.test/").streamTask().streamingData() {}
        } catch {
            streamed = kind(error)
        }
        #expect(streamed == expected)
        #expect(await session.request("http://stub.test/", headers: ["Range": "bytes=5-9"]).raw().kind == nil)
        #expect(await session.head("http://stub.test/").raw().kind == nil)
        #expect(await session.request("http://stub.test/404").raw().kind == nil)
    }

    @Test("Content-Length is no size beside Transfer-Encoding (RFC 9112 section 6.3)")
    func wrongLength() async throws {
        let bench = try ResumeBench()
        func answer(_ count: Int, _ status: Int, _ fields: [String]) -> ResumeBench.Answer {
            { exchange, file in
                let rest = file.body.dropFirst(ServedFile.start(exchange.request) ?? 0)
                let both = ["Content-Length: 5", "Transfer-Encoding: chunked"]
                try ServedFile.send(status, fields + both + file.fields, to: exchange)
                try exchange.sendBytes(Data("\(String(rest.count, radix: 16))\r\n".utf8) + rest.prefix(count))
                if count >= rest.count { try exchange.sendBytes(Data("\r\n0\r\n\r\n".utf8)) }
            }
        }
        bench.then(answer(40_000, 200, []))
        let seen = Journal<[Int64]>()
        let request = bench.download().downloadProgress(queue: DispatchQueue(label: "progress")) {
            seen.add([$0.completedUnitCount, $0.totalUnitCount])
        }
        let data = try #require(await request.end.resumeData)
        #expect(try ResumeData(data).total == nil && data.resumeCount == 40_000)
        #expect(seen.entries.allSatisfy { $0[1] == -1 }, "\(seen.entries)")
        bench.then(answer(100_000, 206, ["Content-Range: bytes 39999-99999/100000"]))
        try await bench.expectFile(resuming: data)
        #expect(try bench.takeRequests(2).map { ServedFile.start($0) } == [nil, 39_999])
    }
}
