import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Downloads that are cancelled, at any moment and in each way: every handler once, and a partial file exactly if there is resume data.
@Suite("Cancelled downloads and their resume data", .timeLimit(.minutes(5)))
struct ResumeCancelTests {
    enum Moment: CaseIterable, Sendable { case beforeStart, beforeHead, inBody, whileSuspended, afterEnd, afterFailure }

    enum Way: CaseIterable, Sendable {
        case producing, producingNone, plain, byProducing

        var producesData: Bool { self == .producing || self == .byProducing }

        func cancel(_ request: DownloadRequest, _ answers: Journal<Data?>) {
            switch self {
            case .producing: request.cancel(producingResumeData: true)
            case .producingNone: request.cancel(producingResumeData: false)
            case .plain: request.cancel()
            case .byProducing: request.cancel(queue: .global()) { answers.add($0) }
            }
        }
    }

    /// Sends a part and then nothing.
    private static func stall(after count: Int) -> ResumeBench.Answer {
        { exchange, file in
            try file.answer(exchange, count: count)
            exchange.waitForDisconnection()
        }
    }

    /// Brings a download to a moment. Its task is that of a handler.
    private func begin(_ moment: Moment, _ bench: ResumeBench, _ request: DownloadRequest, count: Int64 = 40_000) async throws -> Task<
        DownloadResponse<URL>, Never
    >? {
        let hasArrived = Journal<Bool>()
        switch moment {
        case .beforeStart: return nil
        case .beforeHead:
            bench.then { exchange, _ in
                hasArrived.add(true)
                exchange.waitForDisconnection()
            }
        case .inBody, .whileSuspended: bench.then(Self.stall(after: 40_000))
        case .afterEnd: break
        case .afterFailure: bench.thenLose(after: 40_000)
        }
        let task = Task { await request.end }
        switch moment {
        case .beforeStart: break
        case .beforeHead: _ = try await hasArrived.wait(for: 1)
        case .inBody, .whileSuspended: try await waitUntil("a part") { request.resumeData?.resumeCount == count }
        case .afterEnd, .afterFailure: _ = await task.value
        }
        if moment == .whileSuspended { request.suspend() }
        return task
    }

    @Test("There is resume data if something was received, and if it is wanted", arguments: Moment.allCases, Way.allCases)
    func cancelled(_ moment: Moment, _ way: Way) async throws {
        let bench = try ResumeBench()
        let request = bench.download()
        let task = try await begin(moment, bench, request)
        let (answers, late) = (Journal<Data?>(), Journal<Data?>())
        way.cancel(request, answers)
        Way.plain.cancel(request, answers)
        let response = if let task { await task.value } else { await request.end }
        request.response(queue: .global()) { late.add($0.resumeData) }
        #expect(try await late.wait(for: 1) == [response.resumeData])
        if way == .byProducing { #expect(try await answers.wait(for: 1) == [response.resumeData]) }
        #expect(request.resumeData == response.resumeData && (response.error as? FirewheelError)?.resumeData == response.resumeData)
        switch moment {
        case .afterEnd: return try await bench.expectFile(response)
        case .afterFailure: #expect(response.kind == .transportFailed(.networkConnectionLost) && response.resumeData != nil)
        default: #expect(response.kind == .explicitlyCancelled)
        }
        guard moment == .afterFailure || way.producesData && [.inBody, .whileSuspended].contains(moment) else {
            #expect(response.resumeData == nil)
            return try await bench.expectNothingLeft()
        }
        let data = try #require(response.resumeData)
        #expect(data.resumeCount == 40_000)
        try await bench.expectNothingLeft(partials: 1)
        try await bench.expectFile(resuming: data)
        #expect(answers.count == (way == .byProducing ? 1 : 0) && late.count == 1)
    }

    enum End: CaseIterable, Sendable { case cancel, plainCancel, timeout, session }

    @Test("A complete download that is ended while its destination closure runs is kept, and is not waited for", arguments: End.allCases)
    func inDestination(_ way: End) async throws {
        let bench = try ResumeBench()
        let (gate, hasEntered, hasLeft) = (DispatchSemaphore(value: 0), Journal<Bool>(), Journal<Bool>())
        let target = bench.folder.file("blocked")
        let session = Session(configuration: .with { $0.temporaryDirectory = bench.temporary })
        let request = session.download(bench.server.url("/file")) { _, _ in
            hasEntered.add(true)
            gate.wait()
            hasLeft.add(true)
            return (target, [])
        }
        // Long enough to get to the closure.
        if way == .timeout { request.timeout(total: 8) }
        let task = Task { await request.end }
        _ = try await hasEntered.wait(for: 1)
        switch way {
        case .cancel: request.cancel(producingResumeData: true)
        case .plainCancel: request.cancel()
        case .timeout: break
        case .session: session.invalidate()
        }
        // Not only after the closure.
        let response = await task.value
        if way == .plainCancel {
            #expect(response.resumeData == nil && bench.partialFiles.count == 1)
        } else {
            let data = try #require(response.resumeData)
            #expect(data.resumeCount == 100_000 && response.error != nil)
            try await bench.expectFile(resuming: data)
            #expect(try bench.takeRequests(2)[1].header("Range") == "bytes=99999-")
        }
        gate.signal()
        _ = try await hasLeft.wait(for: 1)
        try await bench.expectNothingLeft()
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    @Test("A resumed download that is cancelled keeps what it was given", arguments: [Moment.beforeStart, .beforeHead, .inBody])
    func resumed(_ moment: Moment) async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost(after: 30_000)
        let request = bench.resume(data)
        let task = try await begin(moment, bench, request, count: 69_999)
        let answers = Journal<Data?>()
        #expect(moment == .inBody || request.resumeData == data)
        Way.byProducing.cancel(request, answers)
        let response = if let task { await task.value } else { await request.end }
        let kept = try #require(response.resumeData)
        #expect(try await answers.wait(for: 1) == [kept] && response.kind == .explicitlyCancelled)
        #expect(kept.resumeCount == (moment == .inBody ? 69_999 : 30_000))
        try await bench.expectNothingLeft(partials: 1)
        try await bench.expectFile(resuming: kept)
    }

    @Test("A request that fails before it is sent keeps the resume data that it was given")
    func unsent() async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        struct Refusal: Error {}
        let adapted = await bench.resume(data).adapt { _, _ in throw Refusal() }.end
        #expect(adapted.kind == .requestAdaptationFailed && adapted.resumeData == data)
        try await bench.expectFile(resuming: data)
    }

    @Test("The data is delivered before the response", arguments: [Moment.beforeStart, .inBody, .whileSuspended])
    func order(moment: Moment) async throws {
        let bench = try ResumeBench()
        let request = bench.download()
        let (queue, calls) = (DispatchQueue(label: "one queue"), Journal<String>())
        if moment != .beforeStart {
            bench.then(Self.stall(after: 40_000))
            request.response(queue: queue) { _ in calls.add("response") }
            try await waitUntil("a part") { request.resumeData?.resumeCount == 40_000 }
        }
        if moment == .whileSuspended { request.suspend() }
        request.cancel(queue: queue) { calls.add($0 == nil ? "nothing" : "data") }
        if moment == .beforeStart { request.response(queue: queue) { _ in calls.add("response") } }
        #expect(try await calls.wait(for: 2) == [moment == .beforeStart ? "nothing" : "data", "response"])
    }

    @Test("The main actor gets the data as well")
    @MainActor func mainActor() async throws {
        let bench = try ResumeBench()
        bench.then(Self.stall(after: 40_000))
        let request = bench.download()
        request.resume()
        try await waitUntil("a part") { request.resumeData?.resumeCount == 40_000 }
        let data: Data? = await withCheckedContinuation { done in
            request.cancel(byProducingResumeData: { data in
                MainActor.assertIsolated()
                done.resume(returning: data)
            })
        }
        try await bench.expectFile(resuming: #require(data))
    }

    @Test("Cancelled from several threads in several ways: one outcome, and each handler once")
    func threads() async throws {
        for producer in [0, 3] {
            let bench = try ResumeBench()
            bench.then(Self.stall(after: 40_000))
            let request = bench.download()
            let (answers, ends) = (Journal<Data?>(), Journal<Data?>())
            for _ in 0..<3 { request.response(queue: .global()) { ends.add($0.resumeData) } }
            try await waitUntil("a part") { request.resumeData?.resumeCount == 40_000 }
            await onThreads(8) { index in
                switch index % 4 {
                case producer: request.cancel(queue: .global()) { answers.add($0) }
                case 1: request.cancel(producingResumeData: index > 3)
                case 2: request.cancel()
                default: request.suspend()
                }
            }
            // Whoever came first decided.
            let data = try await ends.wait(for: 3)
            #expect(try await Set(answers.wait(for: 2) + data).count == 1)
            #expect(answers.count == 2 && ends.count == 3)
            try await bench.expectNothingLeft(partials: data[0] == nil ? 0 : 1)
            if let data = data[0] { try await bench.expectFile(resuming: data) }
        }
    }

    @Test("Cancelled at any instant, a download leaves a good partial file or none")
    func anyInstant() async throws {
        let bench = try ResumeBench(ServedFile(body: ServedFile.bytes(400_000)))
        var generator = SeededGenerator(state: 18)
        var data: Data?
        var outcomes: Set<String> = []
        let rounds = TestDepth.choose(60, deep: 600)
        var (round, longest) = (0, UInt32(3_000))
        while round < rounds || outcomes.count < 2 && round < rounds + 100 {
            // A busy machine may not come far in a short time.
            if round % 10 == 9, outcomes.count < 2 { longest = min(2 * longest, 1_000_000) }
            defer { round += 1 }
            // Now and then the file is another, so that one part takes the place of the other.
            if round % 7 == 6 {
                bench.served = ServedFile(
                    body: ServedFile.bytes(400_000 + round, seed: UInt64(round)), version: bench.served.version + 1)
            }
            let request = data.map(bench.resume) ?? bench.download()
            let delay = UInt32.random(in: 0..<longest, using: &generator)
            let task = Task { await request.end }
            await onThreads(1) { _ in
                usleep(delay)
                request.cancel(producingResumeData: true)
            }
            let response = await task.value
            if response.error == nil {
                try await bench.expectFile(response)
                outcomes.insert("complete")
                data = nil
            } else {
                #expect(response.kind == .explicitlyCancelled, "\(response)")
                outcomes.insert(response.resumeData == nil ? "nothing" : data == nil ? "part" : "longer part")
                data = response.resumeData
                try await bench.expectNothingLeft(partials: data == nil ? 0 : 1)
            }
        }
        if let data { try await bench.expectFile(resuming: data) }
        #expect(outcomes.count > 1)
    }
}
