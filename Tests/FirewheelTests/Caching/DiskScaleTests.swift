#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// Large bodies and many entries, each in a process of its own, to measure its peak.
    @Suite("A cache on disk at scale", .timeLimit(.minutes(10)))
    struct DiskScaleTests {
        /// What the process of a test takes by itself is not counted.
        private static let most = 25_000_000

        @Test("A response of 256 MiB (1 GiB in a deep run) is stored, and read from the disk, in less than 25 MB")
        func largeBody() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 400)
                try await Self.storeAndRead(TestDepth.choose(256, deep: 1_024) << 20)
            }
        }

        private static func storeAndRead(_ count: Int) async throws {
            let folder = try CacheFolder()
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            let requests = Locked(0)
            server.exchange("/") { exchange in
                requests.withLock { $0 += 1 }
                let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\nContent-Length: \(count)\r\n\r\n"
                try exchange.sendBytes(Data(head.utf8))
                for number in 0..<(count >> 20) {
                    try exchange.sendBytes(Data(repeating: UInt8(truncatingIfNeeded: number), count: 1 << 20))
                }
            }
            let cache = try HTTPCache(directory: folder.url, capacity: 11 * count)
            let session = Session(configuration: .with { $0.cache = cache })
            let before = try #require(ProcessFacts.peakMemory)
            for source in [ResponseSource.network, .cache(age: 0)] {
                let response = await session.download(server.url()).serializingDownloadedFileURL().response
                let file = try #require(response.value)
                defer { try? FileManager.default.removeItem(at: file) }
                #expect(try Self.isWhole(file, count))
                switch (response.source, source) {
                case (.network, .network), (.cache, .cache): break
                default: Issue.record("\(response.source)")
                }
                #expect(cache.statistics.entryCount == 1)
            }
            var (received, pieces) = (0, 0)
            for try await piece in session.streamRequest(server.url()).streamTask().streamingData() {
                (received, pieces) = (received + piece.count, pieces + 1)
                // A reader that is slower than the disk.
                if pieces.isMultiple(of: 100) { await Task.yield() }
            }
            #expect(received == count && requests.withLock(\.self) == 1)
            let used = try #require(ProcessFacts.peakMemory) - before
            #expect(used < Self.most, "\(used) bytes")
        }

        private static func isWhole(_ file: URL, _ count: Int) throws -> Bool {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            for number in 0..<(count >> 20) {
                let expected = Data(repeating: UInt8(truncatingIfNeeded: number), count: 1 << 20)
                guard try handle.read(upToCount: 1 << 20) == expected else { return false }
            }
            return try handle.read(upToCount: 1)?.isEmpty != false
        }

        @Test("5,000 responses (20,000 in a deep run) are stored, found by a later process, and make room for others")
        func manyEntries() async throws {
            let folder = try CacheFolder()
            let count = TestDepth.choose(5_000, deep: 20_000)
            let fresh: HTTPHeaders = ["Cache-Control": "max-age=3600"]
            var store = DiskCacheStore(try DiskFolder(folder.url), capacity: 1 << 30, clientLifetime: nil)
            for number in 0..<count {
                let url = "http://cache.test/\(number)"
                let request = CacheRequest(method: .get, target: try #require(TargetURI(url)), headers: [:])
                let response = StoredResponse(
                    ResponseHead(statusCode: 200, headers: fresh), of: request, varyingBy: [], requestTime: CacheBench.start,
                    responseTime: CacheBench.start, clientLifetime: nil)
                let refusal = store.store(response, .memory(Data(url.utf8)), for: request)
                try #require(refusal == nil)
            }
            #expect(store.count == count)
            let answer: CacheBench.Answer = { request, _ in .of(request.target.string, fresh) }
            let second = CacheBench(capacity: 1 << 30, in: folder, answer)
            for number in stride(from: 0, to: count, by: count / 100) {
                let response = await second.get("http://cache.test/\(number)")
                #expect(response.value == Data("http://cache.test/\(number)".utf8) && response.source == .cache(age: 0))
            }
            #expect(second.cache.entries.count == count && second.count == 0)
            // A tenth of the room: what was used last remains.
            let third = CacheBench(capacity: second.cache.statistics.byteCount / 10, in: folder, answer)
            _ = await third.get("http://cache.test/new")
            let statistics = third.cache.statistics
            #expect(statistics.entryCount > count / 20 && statistics.entryCount < count / 5 && statistics.evictionCount > count / 2)
            #expect(await third.get("http://cache.test/\(count - 1)").source == .cache(age: 0))
            third.cache.removeAll()
            #expect(third.cache.statistics.entryCount == 0 && folder.files(".body").isEmpty)
        }
    }
#endif
