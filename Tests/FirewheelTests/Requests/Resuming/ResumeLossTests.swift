import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Parts that are lost again, too long or without a length.
@Suite("Resumed downloads that are lost again", .timeLimit(.minutes(5)))
struct ResumeLossTests {
    @Test("However often a part is lost, the count never falls and the file is right", arguments: [false, true])
    func again(isChunked: Bool) async throws {
        let bench = try ResumeBench()
        var data = try await bench.lost(after: 2)
        var count: Int64 = 2
        // 0 bytes: only the head. 1: the one that is asked for again.
        for sent in [0, 1, 2, 30_000, 0, 0, 1, 1, 20_000, 40_000] {
            bench.then { try $1.answer($0, count: sent, isChunked: isChunked) }
            let response = await bench.resume(data).end
            #expect(response.kind == .transportFailed(.networkConnectionLost))
            data = try #require(response.resumeData)
            count += Int64(max(0, sent - 1))
            #expect(data.resumeCount == count)
            try await bench.expectNothingLeft(partials: 1)
        }
        bench.then { try $1.answer($0, isChunked: isChunked) }
        try await bench.expectFile(resuming: data)
    }

    @Test("Retries go on until the file is complete, and the progress never falls")
    func retried() async throws {
        let bench = try ResumeBench()
        let counts = [10_000, 0, 1, 2, 50_000, 0, 30_000]
        for count in counts { bench.thenLose(after: count) }
        let seen = Journal<Int64>()
        let request = bench.download().retry { context, _ in context.retryCount < 10 ? .retry : .doNotRetry }
        request.downloadProgress(queue: DispatchQueue(label: "progress")) { seen.add($0.completedUnitCount) }
        try await bench.expectFile(await request.end)
        #expect(request.retryCount == counts.count)
        #expect(seen.entries == seen.entries.sorted() && request.downloadProgress.completedUnitCount == 100_000)
        #expect(request.downloadProgress.totalUnitCount == 100_000)
        let ranges = try bench.takeRequests(counts.count + 1).map { ServedFile.start($0) }
        #expect(ranges == [nil, 9_999, 9_999, 9_999, 10_000, 59_999, 59_999, 89_998])
    }

    @Test("If the file changes between the attempts, it is downloaded from its beginning", arguments: [false, true])
    func changed(isWithinRequest: Bool) async throws {
        let bench = try ResumeBench()
        let change: ResumeBench.Answer = { [weak bench] exchange, file in
            try file.answer(exchange, count: 40_000)
            bench?.served = ServedFile(body: ServedFile.bytes(70_000, seed: 3), version: 2)
        }
        bench.then(change)
        if isWithinRequest {
            let request = bench.download().retry { context, _ in context.retryCount < 1 ? .retry : .doNotRetry }
            try await bench.expectFile(await request.end)
        } else {
            let data = try #require(await bench.download().end.resumeData)
            try await bench.expectFile(resuming: data)
        }
        #expect(try bench.takeRequests(2).map { ServedFile.start($0) } == [nil, 39_999])
    }

    @Test("A changed file that is lost as well is resumed from its own part; if nothing of it came, the old part is kept")
    func changedAndLost() async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        bench.served = ServedFile(body: ServedFile.bytes(70_000, seed: 3), version: 2)
        bench.thenLose(after: 0)
        let nothing = await bench.resume(data).end
        #expect(nothing.kind == .transportFailed(.networkConnectionLost) && nothing.resumeData == data)
        try await bench.expectNothingLeft(partials: 1)
        bench.thenLose(after: 30_000)
        let other = try #require(await bench.resume(data).end.resumeData)
        #expect(other.resumeCount == 30_000)
        try await bench.expectNothingLeft(partials: 1)
        _ = try bench.takeRequests(2)
        try await bench.expectFile(resuming: other)
        #expect(try bench.takeRequest().header("If-Range") == "\"v2\"")
        // The old data leads to nothing any more, which is no reason to fail.
        try await bench.expectFile(resuming: data)
    }

    @Test("If another version is lost that cannot be resumed, the old part is kept", arguments: [ServedFile.Validator.none, .weakTag])
    func changedForGood(_ validator: ServedFile.Validator) async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        let old = bench.served
        for count in [0, 1, 30_000, 69_999] {
            bench.served = ServedFile(body: ServedFile.bytes(70_000, seed: 3), validator: validator, version: 2)
            bench.thenLose(after: count)
            let response = await bench.resume(data).end
            #expect(response.kind == .transportFailed(.networkConnectionLost) && response.resumeData == data)
            try await bench.expectNothingLeft(partials: 1)
        }
        // A retry tries the part again, and may get the other version after all.
        bench.thenLose(after: 30_000)
        bench.thenLose(after: 0)
        _ = try bench.takeRequests(4)
        let request = bench.resume(data).retry { context, _ in context.retryCount < 2 ? .retry : .doNotRetry }
        try await bench.expectFile(await request.end)
        #expect(try bench.takeRequests(3).map { ServedFile.start($0) } == [39_999, 39_999, 39_999])
        bench.served = old
        let again = try await bench.lost()
        bench.then { exchange, _ in
            try ServedFile.send(200, ["Content-Length: 100"], to: exchange)
            try exchange.sendBytes(Data(count: 50))
        }
        #expect(await bench.resume(again).end.resumeData == again)
        try await bench.expectFile(resuming: again)
    }

    @Test("A page that is not the file does not cost the part, if validation refuses it")
    func loginPage() async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        bench.then { exchange, _ in
            try ServedFile.send(200, ["Content-Type: text/html", "ETag: \"page\"", "Content-Length: 5"], to: exchange)
            try exchange.sendBytes(Data("login".utf8))
        }
        let request = bench.resume(data).validate(contentType: ["application/zip"])
        let response = await request.end
        #expect(response.resumeData == data && request.resumeData == data && (response.error as? FirewheelError)?.resumeData == data)
        try await bench.expectNothingLeft(partials: 1)
        try await bench.expectFile(resuming: data)
    }

    @Test("A part whose length is not that of its range is not used, before a byte of it is written")
    func wrongLength() async throws {
        for excess in [-1, 1, 30_000] {
            let bench = try ResumeBench()
            let (data, size) = (try await bench.lost(), bench.body.count)
            bench.then { exchange, file in
                let rest = file.body.dropFirst(39_999)
                let fields = ["Content-Range: bytes 39999-\(size - 1)/\(size)", "Content-Length: \(rest.count + excess)"]
                try ServedFile.send(206, fields + file.fields, to: exchange)
                try exchange.sendBytes(file.body.prefix(rest.count + excess))
            }
            try await bench.expectFile(resuming: data)
            #expect(try bench.takeRequests(2).map { ServedFile.start($0) } == [39_999, nil])
        }
    }

    @Test("Nothing is kept of a part that is longer than announced", arguments: [1, 30_000, 100_000])
    func overlong(excess: Int) async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        let (hasWritten, size) = (DispatchSemaphore(value: 0), bench.body.count)
        bench.then { exchange, file in
            let rest = file.body.dropFirst(39_999)
            let fields = ["Content-Range: bytes 39999-\(size - 1)/\(size)", "Transfer-Encoding: chunked"]
            try ServedFile.send(206, fields + file.fields, to: exchange)
            try exchange.sendBytes(Data("\(String(rest.count + excess, radix: 16))\r\n".utf8))
            // Not the rest, but the beginning: a server that sends the whole file as a part.
            try exchange.sendBytes(file.body.prefix(30_000))
            hasWritten.wait()
            try exchange.sendBytes(ServedFile.bytes(rest.count + excess - 30_000, seed: 9))
        }
        let request = bench.resume(data)
        let progress = request.downloadProgress
        let end = Task { await request.end }
        try await waitUntil("a part") { (request.resumeData?.resumeCount ?? 0) > 60_000 }
        hasWritten.signal()
        let response = await end.value
        #expect(response.kind == .transportFailed(.badServerResponse))
        #expect(progress.completedUnitCount <= progress.totalUnitCount, "\(progress)")
        let kept = try #require(response.resumeData)
        #expect(kept.resumeCount == 39_999)
        try await bench.expectFile(resuming: kept)
    }

    @Test("A size that was unknown is learnt from the first part, and a file that was complete needs a last byte only")
    func unknownSize() async throws {
        let bench = try ResumeBench()
        bench.then { try $1.answer($0, count: 40_000, isChunked: true) }
        let lost = try #require(await bench.download().end.resumeData)
        #expect(try ResumeData(lost).total == nil)
        bench.thenLose(after: 10_001)
        let data = try #require(await bench.resume(lost).end.resumeData)
        #expect(try ResumeData(data).total == 100_000 && data.resumeCount == 50_000)
        _ = try bench.takeRequests(2)
        // The whole body came, but not the last chunk.
        bench.then { exchange, file in
            let rest = file.body.dropFirst(49_999)
            let range = "Content-Range: bytes 49999-99999/100000"
            try ServedFile.send(206, [range, "Transfer-Encoding: chunked"] + file.fields, to: exchange)
            try exchange.sendBytes(Data("\(String(rest.count, radix: 16))\r\n".utf8) + rest)
        }
        let complete = try #require(await bench.resume(data).end.resumeData)
        #expect(complete.resumeCount == 100_000)
        _ = try bench.takeRequest()
        try await bench.expectFile(resuming: complete)
        #expect(try bench.takeRequest().header("Range") == "bytes=99999-")
    }

    @Test("A form's answer at another URL (303) has no resume data, since a GET of the form's URL does not lead to it")
    func afterForm() async throws {
        let bench = try ResumeBench()
        bench.then { exchange, _ in try ServedFile.send(303, ["Location: /file", "Content-Length: 0"], to: exchange) }
        bench.thenLose(after: 40_000)
        let response = await bench.session.download(bench.server.url("/form"), method: .post, to: bench.destination).end
        #expect(response.kind == .transportFailed(.networkConnectionLost) && response.resumeData == nil)
        #expect(try bench.takeRequests(2).map(\.method) == ["POST", "GET"])
        try await bench.expectNothingLeft()
    }

    @Test("A download that cannot be resumed safely leaves nothing: no GET, an own range, a coding, or Accept-Ranges: none")
    func unsafe() async throws {
        let bench = try ResumeBench()
        let (url, target) = (bench.server.url("/file"), bench.destination)
        let requests: [(String, DownloadRequest)] = [
            ("POST", bench.session.download(url, method: .post, to: target)),
            ("Range", bench.session.download(url, headers: ["Range": "bytes=0-"], to: target)),
            ("Content-Encoding: identity, gzip", bench.session.download(url, to: target)),
            ("Accept-Ranges: none", bench.session.download(url, to: target)), ("ETag: \"twice\"", bench.session.download(url, to: target)),
        ]
        for (field, request) in requests {
            bench.then { exchange, file in
                try ServedFile.send(200, file.fields + ["Content-Length: 100000"] + (field.contains(":") ? [field] : []), to: exchange)
                try exchange.sendBytes(file.body.prefix(40_000))
            }
            let response = await request.end
            #expect(response.error != nil && response.resumeData == nil, "\(field)")
            try await bench.expectNothingLeft()
        }
    }
}
