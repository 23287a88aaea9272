import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

extension DownloadTests.Folder {
    fileprivate func holdsFile(of size: Int) -> Bool {
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: url.path)) ?? []
        return files.contains {
            // Not Foundation's attributes: their numbers take memory for each thread, which the address sanitizer counts as a leak.
            var facts = stat()
            return stat(file($0).path, &facts) == 0 && Int(facts.st_size) == size
        }
    }
}

/// `uploadProgress` and `downloadProgress`: exact, never falling within an attempt, and in control of the request.
@Suite("Progress", .timeLimit(.minutes(5)))
struct ProgressTests {
    private struct Step: Equatable, Sendable {
        let completed: Int64
        let total: Int64

        init(completed: Int64, total: Int64) {
            self.completed = completed
            self.total = total
        }

        init(_ progress: Progress) {
            completed = progress.completedUnitCount
            total = progress.totalUnitCount
        }
    }

    private let queue = DispatchQueue(label: "progress")

    private func checkRising(_ steps: [Step], _ note: String) {
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.completed <= $1.completed }, "\(note): \(steps)")
    }

    @Test("The progress of an upload ends with the size of the body, in memory, a file or a stream", arguments: UploadKind.allCases)
    func uploads(_ kind: UploadKind) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let session = Session()
        for size in [1, 3_000_000] {
            server.enqueue(.text("taken"))
            let steps = Journal<Step>()
            let upload = try kind.upload(UploadKind.pattern(size), to: server.url(), in: session, folder: folder)
                .uploadProgress(queue: queue) { steps.add(Step($0)) }
            _ = try await upload.serializingData().value
            queue.sync {}
            checkRising(steps.entries, "\(kind)")
            #expect(steps.entries.last?.completed == Int64(size) && upload.uploadProgress.completedUnitCount == Int64(size))
            #expect(upload.uploadProgress.totalUnitCount == Int64(size) && upload.uploadProgress.fractionCompleted == 1)
            if kind.hasLength { #expect(steps.entries.allSatisfy { $0.total == Int64(size) }, "\(kind): \(steps.entries)") }
        }
    }

    @Test("The progress of a response counts its bytes, in memory and in a file")
    func downloads() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let body = UploadKind.pattern(2_000_000)
        let session = Session()
        for (response, total) in [
            (MockResponse.data(body), Int64(body.count)), (MockResponse.data(body).framed(.chunked(size: 50_000)), -1),
        ] {
            server.enqueue(response, response)
            let (inMemory, inFile) = (Journal<Step>(), Journal<Step>())
            let request = session.request(server.url()).downloadProgress(queue: queue) { inMemory.add(Step($0)) }
            #expect(try await request.serializingData().value == body)
            let download = session.download(server.url()).downloadProgress(queue: queue) { inFile.add(Step($0)) }
            let file = try await download.serializingDownloadedFileURL().value
            try? FileManager.default.removeItem(at: file)
            queue.sync {}
            for steps in [inMemory.entries, inFile.entries] {
                checkRising(steps, "\(total)")
                #expect(steps.last == steps.last.map { _ in Step(request.downloadProgress) } && steps.last?.completed == Int64(body.count))
                #expect(steps.dropLast().allSatisfy { $0.total == total } && steps.last?.total == Int64(body.count))
            }
        }
    }

    /// 3,000,000 bytes of which a sixth cannot be compressed, and the same in the coding deflate.
    private static func compressible() throws -> (plain: Data, coded: Data) {
        var plain = Data()
        for number in 0..<100 { plain += ServedFile.bytes(5_000, seed: UInt64(number)) + Data(count: 25_000) }
        var coded = Data()
        let deflater = try Deflater()
        try plain.withUnsafeBytes { try deflater.compress($0, isLast: true, to: &coded) }
        return (plain, coded)
    }

    @Test(
        "The received bytes of a coded body are counted against its Content-Length, until its decoded size is known at the end",
        arguments: [true, false], [true, false])
    func codedWithLength(hasLength: Bool, isDownload: Bool) async throws {
        let (plain, coded) = try Self.compressible()
        let (server, goesOn) = (try MockServer(), DispatchSemaphore(value: 0))
        defer {
            goesOn.signal()
            server.shutdown()
        }
        let half = coded.count / 2
        server.exchange("/") { exchange in
            let framing = hasLength ? "Content-Length: \(coded.count)" : "Transfer-Encoding: chunked"
            try exchange.sendBytes(Data("HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\(framing)\r\n\r\n".utf8))
            for part in [coded.prefix(half), coded.dropFirst(half)] {
                if hasLength { try exchange.sendBytes(Data(part)) } else { try exchange.sendChunk(Data(part)) }
                if part.startIndex == 0 { goesOn.wait() }
            }
            if !hasLength { try exchange.endChunks() }
        }
        let (session, steps) = (Session(), Journal<Step>())
        let data = isDownload ? nil : session.request(server.url())
        let download = isDownload ? session.download(server.url(), headers: ["Accept-Encoding": "deflate"]) : nil
        let request = try #require(data ?? download)
        request.downloadProgress(queue: queue) { steps.add(Step($0)) }
        async let inMemory = data?.serializingData().value
        async let inFile = download?.serializingData().value
        // What the decoder has and has not given yet is not counted.
        let least = hasLength ? Int64(half - 10_000) : 1_000_000
        try await waitUntil("the first part") { request.downloadProgress.completedUnitCount >= least }
        if hasLength {
            #expect(request.downloadProgress.completedUnitCount <= Int64(half))
            #expect(request.downloadProgress.totalUnitCount == Int64(coded.count))
        } else {
            #expect(request.downloadProgress.totalUnitCount == -1)
        }
        goesOn.signal()
        let received = try await (inMemory, inFile)
        #expect(received.0 ?? received.1 == plain)
        queue.sync {}
        checkRising(steps.entries, "coded")
        #expect(steps.entries.last == Step(completed: 3_000_000, total: 3_000_000))
    }

    @Test(
        "A coded body that is refused, cut off or cancelled has no more progress than its size", arguments: ["refused", "cut", "cancelled"])
    func codedFailure(end: String) async throws {
        let (_, coded) = try Self.compressible()
        let server = try MockServer()
        defer { server.shutdown() }
        server.exchange("/") { exchange in
            let head = "HTTP/1.1 400 Bad\r\nContent-Encoding: deflate\r\nContent-Length: \(coded.count)\r\n\r\n"
            try exchange.sendBytes(Data(head.utf8))
            try exchange.sendBytes(end == "refused" ? coded : coded.prefix(coded.count / 2))
            if end == "cancelled" { exchange.waitForDisconnection() }
            if end != "refused" { throw CancellationError() }
        }
        let request = Session().request(server.url()).validate().downloadProgress(queue: queue) { _ in }
        async let response = request.serializingData().response
        if end == "cancelled" {
            try await waitUntil("half of it") { request.downloadProgress.completedUnitCount >= Int64(coded.count / 2 - 10_000) }
            request.cancel()
        }
        #expect(await response.error != nil)
        let step = Step(request.downloadProgress)
        #expect(step.total == Int64(coded.count))
        #expect(step.completed <= Int64(end == "refused" ? coded.count : coded.count / 2) && step.completed > 200_000)
    }

    @Test("A download asks for no compression, so that its size is known while it arrives")
    func downloadOfCompressible() async throws {
        let (plain, coded) = try Self.compressible()
        let (server, goesOn) = (try MockServer(), DispatchSemaphore(value: 0))
        defer {
            goesOn.signal()
            server.shutdown()
        }
        // It compresses for who asks.
        server.exchange("/") { exchange in
            let isCoded = exchange.request.header("Accept-Encoding")?.contains("deflate") == true
            let (body, fields) = isCoded ? (coded, "Content-Encoding: deflate\r\n") : (plain, "")
            try exchange.sendBytes(Data("HTTP/1.1 200 OK\r\n\(fields)ETag: \"1\"\r\nContent-Length: \(body.count)\r\n\r\n".utf8))
            try exchange.sendBytes(body.prefix(1_000_000))
            goesOn.wait()
            try exchange.sendBytes(body.dropFirst(1_000_000))
        }
        let download = Session().download(server.url()).downloadProgress(queue: queue) { _ in }
        async let value = download.serializingData().value
        try await waitUntil("a third") { download.downloadProgress.completedUnitCount == 1_000_000 }
        #expect(download.downloadProgress.totalUnitCount == 3_000_000 && download.resumeData != nil)
        goesOn.signal()
        #expect(try await value == plain)
    }

    @Test("Somebody who asks for the progress of a coded body while it arrives gets the received bytes")
    func codedAndAskedLate() async throws {
        let head = ResponseHead(statusCode: 200, headers: ["Content-Encoding": "gzip", "Content-Length": "100"])
        let transport = CodedTransport(head)
        let request = Session(transport: transport).streamRequest("https://stub.test/")
        let pieces = Journal<Int>()
        request.responseStream(queue: queue) { if let piece = $0.value { pieces.add(piece.count) } }
        #expect(try await pieces.wait(for: 1) == [1_000])
        #expect(Step(request.downloadProgress) == Step(completed: 40, total: 100))
        transport.finish()
        // A request is finished a moment before its progress is.
        try await waitUntil("the end") { Step(request.downloadProgress) == Step(completed: 3_000, total: 3_000) }
    }

    @Test("A coded body that is larger than its content ends with the size of the content")
    func coded() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        // RFC 1952: "hello" in a stored block.
        let gzip =
            Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 5, 0, 0xfa, 0xff]) + Data("hello".utf8)
            + Data([0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0])
        server.enqueue(.data(gzip, headers: [("Content-Encoding", "gzip")]))
        let steps = Journal<Step>()
        let request = Session().request(server.url()).downloadProgress(queue: queue) { steps.add(Step($0)) }
        #expect(try await request.serializingString().value == "hello")
        queue.sync {}
        #expect(steps.entries.last?.completed == 5 && steps.entries.last?.total == 5)
    }

    @Test("A retry begins again at 0")
    func retried() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let body = UploadKind.pattern(100_000)
        server.enqueue(.data(Data(count: 50), status: 503), .data(body))
        let steps = Journal<Step>()
        let request = Session().upload(body, to: server.url()).validate().retry { _, _ in .retry }
            .downloadProgress(queue: queue) { steps.add(Step($0)) }
        #expect(try await request.serializingData().value == body)
        queue.sync {}
        #expect(steps.entries.last == Step(request.downloadProgress) && steps.entries.last?.completed == Int64(body.count))
        #expect(
            request.downloadProgress.totalUnitCount == Int64(body.count) && request.uploadProgress.completedUnitCount == Int64(body.count))
    }

    @Test("The progress of a body that goes again after a 307 never falls, and is never beyond its size", arguments: [300_000, 3_000_000])
    func redirected(size: Int) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let body = UploadKind.pattern(size)
        server.enqueue(.text("elsewhere", status: 307, headers: [("Location", "/new")]), .text("taken"))
        let steps = Journal<Step>()
        let request = Session(configuration: .with { $0.expectsContinue = .never }).upload(body, to: server.url(), method: .put)
            .uploadProgress(queue: queue) { steps.add(Step($0)) }
        #expect(try await request.serializingString().value == "taken")
        queue.sync {}
        checkRising(steps.entries, "307")
        #expect(steps.entries.allSatisfy { $0.completed <= Int64(size) && $0.total == Int64(size) }, "\(steps.entries)")
        #expect(steps.entries.last?.completed == Int64(size))
        let seen = try await server.takeRequests(2)
        #expect(seen.allSatisfy { $0.body == body })
    }

    @Test("The Progress object cancels, pauses and resumes the request, also through a parent")
    func control() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.exchange("/") { exchange in
            try exchange.sendHead(headers: [("Content-Length", "10")])
            _ = exchange.waitForDisconnection()
        }
        let session = Session()
        let parent = Progress(totalUnitCount: 2)
        let requests = (0..<2).map { _ in session.request(server.url()) }
        for request in requests { parent.addChild(request.downloadProgress, withPendingUnitCount: 1) }
        let tasks = requests.map { $0.serializingData() }
        _ = await server.waitForOpenConnections(2)
        requests[0].downloadProgress.pause()
        try await waitUntil("paused") { requests[0].isSuspended }
        #expect(!requests[1].isSuspended)
        requests[0].downloadProgress.resume()
        try await waitUntil("resumed") { requests[0].isResumed }
        parent.cancel()
        for task in tasks { #expect(await task.response.error?.firewheel?.kind == .explicitlyCancelled) }
    }

    @Test("A parent is complete when its requests are, also one with an empty body")
    func parent() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session()
        let parent = Progress(totalUnitCount: 3)
        for size in [0, 1, 500_000] {
            server.enqueue(.data(UploadKind.pattern(size)))
            let request = session.request(server.url())
            parent.addChild(request.downloadProgress, withPendingUnitCount: 1)
            _ = await request.serializingData().response
        }
        #expect(parent.fractionCompleted == 1 && parent.isFinished)
    }

    @Test("The async sequence of the progress ends with the request")
    func sequence() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let body = UploadKind.pattern(1_000_000)
        server.enqueue(.data(body))
        let request = Session().upload(body, to: server.url())
        let (up, down) = (request.uploadProgress(), request.downloadProgress(bufferingPolicy: .bufferingNewest(1)))
        let task = request.serializingData()
        var last: (Int64, Int64) = (0, 0)
        for await progress in up { last.0 = progress.completedUnitCount }
        for await progress in down { last.1 = progress.completedUnitCount }
        #expect(last == (1_000_000, 1_000_000))
        _ = try await task.value
        // Afterwards there is only the end.
        var late: [Int64] = []
        for await progress in request.downloadProgress() { late.append(progress.completedUnitCount) }
        #expect(late == [1_000_000])
    }

    @Test("Who asks late sees the end")
    func late() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.data(Data(count: 100)))
        let request = Session().upload(Data(count: 50), to: server.url())
        _ = try await request.serializingData().value
        #expect(request.downloadProgress.completedUnitCount == 100 && request.downloadProgress.totalUnitCount == 100)
        #expect(request.uploadProgress.completedUnitCount == 50 && request.uploadProgress.fractionCompleted == 1)
    }

    @Test("Who asks while an upload is sent sees what there is, and its end")
    func lateUpload() async throws {
        let server = try MockServer(recordsRequests: false)
        defer { server.shutdown() }
        let (some, held, goesOn) = (Journal<Int>(), Journal<Int>(), DispatchSemaphore(value: 0))
        server.route("*") { _ in .text("done") }
        server.readBodies { request in
            some.add(request.body.count)
            // Until the progress was asked for, and until some of it was seen: the sockets keep less than the rest.
            for (number, place) in [100_000, 8_000_000].enumerated() where request.body.count > place && held.count == number {
                held.add(place)
                _ = goesOn.wait(timeout: .now() + 60)
            }
        }
        let session = Session(configuration: .with { $0.expectsContinue = .never })
        let request = session.upload(UploadKind.pattern(20_000_000), to: server.url())
        let task = request.serializingString()
        _ = try await some.wait(for: 3)
        try await waitUntil("some bytes are sent") { request.uploadProgress.completedUnitCount > 0 }
        #expect(request.uploadProgress.completedUnitCount < 20_000_000 && request.uploadProgress.totalUnitCount == 20_000_000)
        let steps = Journal<Step>()
        request.uploadProgress(queue: queue) { steps.add(Step($0)) }
        goesOn.signal()
        try await waitUntil("a step") { steps.count > 0 }
        goesOn.signal()
        _ = try await task.value
        queue.sync {}
        checkRising(steps.entries, "late")
        #expect(steps.entries.count > 1 && steps.entries.last?.completed == 20_000_000)
    }

    @Test("Who asks while a download arrives sees what there is, and its end")
    func lateDownload() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        let half = UploadKind.pattern(500_000)
        let goesOn = DispatchSemaphore(value: 0)
        server.exchange("/file") { exchange in
            try exchange.sendBytes(Data("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".utf8) + half)
            _ = goesOn.wait(timeout: .now() + 60)
            try exchange.sendBytes(half)
        }
        let session = Session(configuration: .with { $0.temporaryDirectory = folder.url })
        let download = session.download(server.url("/file"))
        async let file = download.serializingDownloadedFileURL().value
        try await waitUntil("the first half") { folder.holdsFile(of: 500_000) }
        // A piece is counted once it is in the file.
        try await waitUntil("its last piece") { download.downloadProgress.completedUnitCount >= 500_000 }
        #expect(download.downloadProgress.completedUnitCount == 500_000 && download.downloadProgress.totalUnitCount == 1_000_000)
        let steps = Journal<Step>()
        download.downloadProgress(queue: queue) { steps.add(Step($0)) }
        goesOn.signal()
        _ = try await file
        queue.sync {}
        checkRising(steps.entries, "late")
        #expect(steps.entries.allSatisfy { $0.completed >= 500_000 } && steps.entries.last?.completed == 1_000_000)
        #expect(download.downloadProgress.fractionCompleted == 1)
        server.enqueue(.data(half))
        let other = session.download(server.url())
        _ = try await other.serializingDownloadedFileURL().value
        #expect(other.downloadProgress.completedUnitCount == 500_000 && other.downloadProgress.totalUnitCount == 500_000)
    }

    @Test("A closure on the main actor is called with the last progress before the handler")
    @MainActor func mainActor() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.data(UploadKind.pattern(300_000)))
        var seen: Int64 = 0
        let atHandler: Int64 = await withCheckedContinuation { continuation in
            Session().request(server.url()).downloadProgress { seen = $0.completedUnitCount }
                .response { _ in continuation.resume(returning: seen) }
        }
        #expect(atHandler == 300_000)
    }

    @Test("A request without a body reports no upload progress, and is complete in a parent")
    func noBody() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("x") }
        let session = Session()
        for isEarly in [true, false] {
            let steps = Journal<Step>()
            let request = session.request(server.url())
            let parent = Progress(totalUnitCount: 1)
            if isEarly {
                request.uploadProgress(queue: queue) { steps.add(Step($0)) }
                parent.addChild(request.uploadProgress, withPendingUnitCount: 1)
            }
            let early: AsyncStream<Progress>? = isEarly ? request.uploadProgress() : nil
            #expect(try await request.serializingString().value == "x")
            if !isEarly { request.uploadProgress(queue: queue) { steps.add(Step($0)) } }
            queue.sync {}
            #expect(steps.entries == [])
            for await progress in early ?? request.uploadProgress() { Issue.record("\(progress)") }
            #expect(request.uploadProgress.fractionCompleted == 1)
            if isEarly { #expect(parent.isFinished) }
        }
        // An empty body is one.
        let steps = Journal<Step>()
        let upload = session.upload(Data(), to: server.url()).uploadProgress(queue: queue) { steps.add(Step($0)) }
        _ = try await upload.serializingData().value
        queue.sync {}
        #expect(steps.entries.last?.completed == 1)
    }

    @Test("A download that goes on begins with what there is, and one that begins again with nothing", arguments: [true, false])
    func resumed(goesOn: Bool) async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost(after: 40_000)
        if !goesOn { bench.served.version = 2 }
        let steps = Journal<Step>()
        let request = bench.resume(data)
        #expect(Step(request.downloadProgress) == Step(completed: 40_000, total: 100_000))
        request.downloadProgress(queue: queue) { steps.add(Step($0)) }
        let response = await request.end
        #expect(response.error == nil)
        queue.sync {}
        #expect(steps.entries.last == Step(completed: 100_000, total: 100_000))
        if goesOn {
            #expect(steps.entries.allSatisfy { $0.completed >= 40_000 && $0.total == 100_000 }, "\(steps.entries)")
            checkRising(steps.entries, "resumed")
        }
        #expect(try Data(contentsOf: bench.target) == bench.body)
    }
}

/// Sends the first part of a coded body, and the second when it is told to.
private final class CodedTransport: Transport {
    private let head: ResponseHead
    private let started = Locked<(id: TransportTaskID, receiver: any TransportReceiver)?>(nil)

    init(_ head: ResponseHead) {
        self.head = head
    }

    func start(_ request: TransportRequest, receiver: any TransportReceiver) {
        started.withLock { $0 = (request.id, receiver) }
        receiver.receive([TransportEvent(id: request.id, kind: .response(head, at: .now()))])
    }

    func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) { send(1_000, encoded: 40) }

    func finish() {
        send(2_000, encoded: 100)
        let metrics = TransportMetrics(start: .now(), end: .now())
        guard let (id, receiver) = started.withLock({ $0 }) else { return }
        receiver.receive([TransportEvent(id: id, kind: .finished(TransportResult(head: head, metrics: metrics)))])
    }

    private func send(_ count: Int, encoded: Int64) {
        guard let (id, receiver) = started.withLock({ $0 }) else { return }
        var event = TransportEvent(id: id, kind: .chunk(Data(count: count)))
        event.encodedCount = encoded
        receiver.receive([event])
    }

    func cancel(_ id: TransportTaskID) {}
    func pause(_ id: TransportTaskID) {}
    func resume(_ id: TransportTaskID) {}
    func acknowledge(_ id: TransportTaskID, bytes: Int) {}
}
