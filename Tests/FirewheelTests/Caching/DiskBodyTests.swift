import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

@Suite("Bodies on disk", .timeLimit(.minutes(5)))
struct DiskBodyTests {
    /// A body that differs in each block.
    private static func body(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 13) }) }

    private func bench(_ folder: CacheFolder, _ body: Data, _ configuration: SessionConfiguration = .default) -> CacheBench {
        CacheBench(capacity: 400 << 20, configuration: configuration, in: folder) { request, _ in
            if request.headers.contains(name: "If-None-Match") { return .of("", status: 304, ["Cache-Control": "max-age=60"]) }
            let head = ResponseHead(
                statusCode: 200, headers: ["Cache-Control": "max-age=60", "Content-Length": "\(body.count)", "ETag": "\"1\""])
            guard request.delivery == .chunks else { return [.response(head), .finish(body: body)] }
            let pieces = stride(from: 0, to: body.count, by: 70_001).map {
                StubTransport.Step.chunk(body[$0..<min(body.count, $0 + 70_001)])
            }
            return [.response(head)] + pieces + [.finish()]
        }
    }

    private func stream(_ bench: CacheBench) async throws -> Data {
        var received = Data()
        for try await piece in bench.session.streamRequest("http://cache.test/a").streamTask().streamingData() { received += piece }
        return received
    }

    @Test("Each form of request stores a body, and each gets it, of any size", arguments: [0, 1, 65_535, 65_536, 65_537, 1_000_000])
    func forms(_ count: Int) async throws {
        let body = Self.body(count)
        for storing in 0..<3 {
            let folder = try CacheFolder()
            func use(_ form: Int, _ bench: CacheBench) async throws -> Data? {
                switch form {
                case 0: await bench.get().value
                case 1: await bench.session.download("http://cache.test/a").serializingData(emptyResponseCodes: [200]).response.value
                default: try await stream(bench)
                }
            }
            let first = bench(folder, body)
            #expect(try await use(storing, first) == body)
            first.settle()
            let second = bench(folder, Data("other".utf8))
            for form in 0..<3 { #expect(try await use(form, second) == body) }
            #expect(second.count == 0 && second.cache.statistics.hitCount == 3 && second.cache.entries.first?.bodyByteCount == count)
        }
    }

    @Test("A part of a stored body is read from the disk")
    func parts() async throws {
        let folder = try CacheFolder()
        let body = Self.body(300_000)
        let first = bench(folder, body)
        _ = await first.get()
        first.settle()
        let second = bench(folder, Data())
        for range in [0..<1, 0..<300_000, 65_535..<65_537, 131_072..<196_608, 299_999..<300_000] {
            let response = await second.get(headers: ["Range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)"])
            #expect(response.value == body.subdata(in: range) && response.statusCode == 206 && response.source == .cache(age: 0))
        }
        #expect(await second.get(method: .head).value?.isEmpty != false && second.count == 0)
    }

    @Test("A body is read to its end, although its entry is removed meanwhile")
    func removedMeanwhile() async throws {
        let folder = try CacheFolder()
        let body = Self.body(3_000_000)
        let bench = bench(folder, body)
        _ = await bench.get()
        var received = Data()
        for try await piece in bench.session.streamRequest("http://cache.test/a").streamTask().streamingData() {
            if received.isEmpty { bench.cache.removeAll() }
            received += piece
        }
        #expect(received == body && bench.count == 1 && folder.files(".body").isEmpty)
    }

    /// Stores a response, and changes a byte of its file.
    private func storeDamaged(_ body: Data, at offset: Int, in folder: CacheFolder) async throws {
        let bench = bench(folder, body)
        _ = await bench.get()
        #expect(bench.cache.statistics.entryCount == 1)
        try damage(folder, at: offset)
    }

    private func damage(_ folder: CacheFolder, at offset: Int) throws {
        let handle = try FileHandle(forUpdating: try #require(folder.files(".body").first))
        try handle.seek(toOffset: UInt64(offset))
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: [byte ^ 1])
        try handle.close()
    }

    @Test("Damage anywhere in a body of up to 8 MiB is a miss")
    func damagedSmall() async throws {
        let body = Self.body(700_000)
        for offset in [0, 65_536, 400_000, 699_999] {
            let folder = try CacheFolder()
            try await storeDamaged(body, at: offset, in: folder)
            let second = bench(folder, body)
            #expect(try await stream(second) == body && second.count == 1)
            #expect(await second.get().source == .cache(age: 0))
        }
    }

    @Test("Damage at the end of a larger body is a miss for a request that gets it at once")
    func damagedLarge() async throws {
        let folder = try CacheFolder()
        let body = Self.body(9 << 20)
        try await storeDamaged(body, at: body.count - 1, in: folder)
        let second = bench(folder, body)
        let response = await second.get()
        #expect(response.value == body && response.source == .network && second.count == 1)
        #expect(await second.get().source == .cache(age: 0))
        try damage(folder, at: body.count - 1)
        // Also after a 304, which has confirmed a response that is of no use.
        second.wait(100)
        #expect(await second.get().source == .network)
        #expect(second.count == 3)
        second.settle()
        try damage(folder, at: body.count - 1)
        // A client that has judged the head gets no other response, and without the network there is none.
        let third = bench(folder, body)
        third.wait(100)
        let judged = await third.session.request("http://cache.test/a").onHTTPResponse { _ in .allow }.serializingData().response
        #expect((judged.error as? FirewheelError)?.kind == .transportFailed(.networkConnectionLost) && third.count == 0)
        #expect(await third.get().source == .network)
        third.settle()
        try damage(folder, at: body.count - 1)
        let fourth = bench(folder, body)
        fourth.wait(100)
        let error = await fourth.get(policy: .returnCacheDataDontLoad).error as? FirewheelError
        #expect(error?.kind == .transportFailed(.networkConnectionLost) && "\(error as Any)".contains("damaged"), "\(error as Any)")
    }

    @Test("It fails a stream when it is reached, and a retry asks the server")
    func damagedStream() async throws {
        let folder = try CacheFolder()
        let body = Self.body(9 << 20)
        try await storeDamaged(body, at: body.count - 1, in: folder)
        let second = bench(folder, body)
        let task = second.session.streamRequest("http://cache.test/a").streamTask()
        var received = Data()
        let error = await #expect(throws: FirewheelError.self) {
            for try await piece in task.streamingData() { received += piece }
        }
        #expect(error?.kind == .transportFailed(.networkConnectionLost) && "\(error as Any)".contains("damaged"), "\(error as Any)")
        #expect(!received.isEmpty && received.count < body.count && body.starts(with: received) && second.count == 0)
        #expect(await second.get().source == .network)
        second.settle()
        try damage(folder, at: body.count - 1)
        let third = bench(folder, body)
        let retried = await third.session.download("http://cache.test/a", interceptor: RetryPolicy(limit: 1, backoff: .constant(0)))
            .serializingData().response
        #expect(retried.value == body && retried.source == .network && third.count == 1)
    }

    @Test("Acknowledgments wait for the slower of the client and the disk")
    func gate() {
        var gate = AcknowledgmentGate()
        #expect(gate.acknowledge(10) == 0 && gate.settle(4) == 4 && gate.settle(4) == 4 && gate.settle(20) == 2)
        #expect(gate.acknowledge(5) == 5 && gate.acknowledge(.max) == 13 && gate.acknowledge(.max) == 0 && gate.settle(3) == 3)
        #expect(gate.acknowledge(-1) == 0)
    }

    #if os(Linux)
        @Test("A disk that takes no more is no error: nothing is stored, what was stored before is not used, and explain says why")
        func full() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                let folder = try CacheFolder()
                let bodies = [DiskBodyTests.body(10), DiskBodyTests.body(300_000)]
                let bench = CacheBench(capacity: 400 << 20, in: folder) { request, number in
                    let body = bodies[number == 1 ? 0 : 1]
                    let head = ResponseHead(statusCode: 200, headers: ["Cache-Control": "max-age=60"])
                    return [.response(head)] + (request.delivery == .chunks ? [.chunk(body), .finish()] : [.finish(body: body)])
                }
                #expect(await bench.get().value == bodies[0])
                bench.settle()
                let limit = ResourceLimit.fileSize.set(100_000)
                #expect(await bench.get().source == .cache(age: 0))
                #expect(await bench.get(policy: .reloadIgnoringLocalCacheData).value == bodies[1])
                #expect(try await DiskBodyTests().stream(bench) == bodies[1] && bench.count == 3)
                #expect(await bench.get().source == .network)
                let words = bench.cache.explain(URLRequest(url: try #require(URL(string: "http://cache.test/a"))))
                #expect(words.contains("could not be written"), "\(words)")
                #expect(bench.cache.statistics.entryCount == 0 && folder.files(".body").isEmpty)
                ResourceLimit.fileSize.set(limit)
                #expect(await bench.get().source == .network)
                #expect(await bench.get().source == .cache(age: 0))
            }
        }

        @Test("Without descriptors the server answers, and nothing is lost")
        func descriptors() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                let folder = try CacheFolder()
                let body = DiskBodyTests.body(100_000)
                let first = DiskBodyTests().bench(folder, body)
                _ = await first.get()
                first.settle()
                let second = DiskBodyTests().bench(folder, body)
                second.settle()
                let limit = ResourceLimit.openFiles.set(0)
                let response = await second.get()
                #expect(response.value == body && response.source == .network)
                ResourceLimit.openFiles.set(limit)
                #expect(await second.get().value == body && second.cache.statistics.entryCount <= 1)
            }
        }
    #endif
}
