#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// Bodies that would fill the memory of a reader that kept them, each in a process of its own.
    @Suite("Floods of streams", .serialized, .timeLimit(.minutes(5)))
    struct StreamFloodTests {
        private static let most = 40_000_000

        /// A server whose body is one line, of mebibytes that are not ended.
        private static func lineServer(_ mebibytes: Int) throws -> MockServer {
            let server = try MockServer()
            server.exchange("/") { exchange in
                try exchange.sendHead()
                let piece = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
                for _ in 0..<mebibytes { try exchange.sendChunk(piece) }
                try exchange.endChunks()
            }
            return server
        }

        @Test("A line without an end is refused at the limit, whatever follows, and with a lower or higher limit")
        func endlessLine() async throws {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                let server = try StreamFloodTests.lineServer(.max)
                let session = Session()
                _ = await session.request(server.url("/none")).serializingData().response
                let before = try #require(ProcessFacts.peakMemory)
                for limit in [0, 1_000, DataStreamRequest.defaultMaximumLineLength, 4 << 20] {
                    let error = await #expect(throws: FirewheelError.self) {
                        for try await _ in session.streamRequest(server.url()).streamTask().streamingLines(maximumLength: limit) {}
                    }
                    #expect(error?.kind == .responseStreamFailed(.lineTooLong(limit: limit)))
                    let collector = StreamCollector<StreamHandlerTests.Number>()
                    session.streamRequest(server.url())
                        .responseStreamDecodable(queue: .global(), maximumLength: limit) { collector.take($0) }
                    let log = await collector.wait()
                    #expect(log.values.isEmpty)
                    #expect(log.error?.kind == .responseStreamFailed(.lineTooLong(limit: limit)))
                }
                let after = try #require(ProcessFacts.peakMemory)
                #expect(after - before < StreamFloodTests.most)
            }
        }

        @Test("A gibibyte without an end of a line is read as text in flat memory")
        func longText() async throws {
            let mebibytes = TestDepth.choose(128, deep: 1_024)
            await #expect(processExitsWith: .success) { [mebibytes = mebibytes as Int] in
                ProcessFacts.giveUp(after: 200)
                let server = try StreamFloodTests.lineServer(mebibytes)
                let session = Session()
                _ = await session.request(server.url("/none")).serializingData().response
                let before = try #require(ProcessFacts.peakMemory)
                var count = 0
                for try await text in session.streamRequest(server.url()).streamTask().streamingStrings() { count += text.utf8.count }
                #expect(count == mebibytes << 20)
                let after = try #require(ProcessFacts.peakMemory)
                #expect(after - before < StreamFloodTests.most)
            }
        }

        /// A server that flushes each byte: lines of one character.
        private static func byteServer(_ count: Int) throws -> MockServer {
            let server = try MockServer()
            server.exchange("/") { exchange in
                try exchange.sendHead()
                let bytes = [Data("x".utf8), Data("\n".utf8)]
                for index in 0..<count { try exchange.sendChunk(bytes[index % 2]) }
                try exchange.endChunks()
            }
            return server
        }

        @Test("A million pieces of one byte each end in bounded time, also while a reader waits, in flat memory")
        func manyPieces() async throws {
            let count = TestDepth.choose(100_000, deep: 1_000_000)
            await #expect(processExitsWith: .success) { [count = count as Int] in
                ProcessFacts.giveUp(after: 200)
                let server = try StreamFloodTests.byteServer(count)
                let session = Session()
                _ = await session.request(server.url("/none")).serializingData().response
                let before = try #require(ProcessFacts.peakMemory)

                var lines = 0
                for try await line in session.streamRequest(server.url()).streamTask().streamingLines() {
                    #expect(line == "x")
                    lines += 1
                }
                #expect(lines == count / 2)

                let (received, pieces, isOver) = (Locked(0), Locked(0), Latch())
                let goesOn = DispatchSemaphore(value: 0)
                let request = session.streamRequest(server.url())
                request.responseStream(queue: DispatchQueue(label: "slow")) { stream in
                    if let piece = stream.value {
                        if pieces.withLock({ pieces in
                            pieces += 1
                            return pieces == 1
                        }) {
                            goesOn.wait()
                        }
                        received.withLock { $0 += piece.count }
                    }
                    if stream.completion != nil { isOver.open() }
                }
                // Until the server has sent all, or more than the reader's window.
                let progress: Progress = request.downloadProgress
                #expect(await eventually(within: 100) { progress.completedUnitCount >= Int64(count) })
                goesOn.signal()
                await isOver.wait()
                #expect(received.withLock { $0 } == count)
                #expect(pieces.withLock { $0 } < count / 50 + 100)
                let after = try #require(ProcessFacts.peakMemory)
                #expect(after - before < StreamFloodTests.most)
            }
        }

        @Test("A small compressed body that becomes a gibibyte is read in flat memory, and no more than its limit")
        func bomb() async throws {
            let mebibytes = TestDepth.choose(128, deep: 1_024)
            await #expect(processExitsWith: .success) { [mebibytes = mebibytes as Int] in
                ProcessFacts.giveUp(after: 200)
                let server = try MockServer()
                // One member of 1 MiB of zeros, many times.
                let member = Data(Decoded.decode([CodingFixtures.gzipOfGzipOfZeros], "gzip").content)
                let bomb = (0..<mebibytes).reduce(into: Data()) { bytes, _ in bytes += member }
                server.route("/") { _ in MockResponse(headers: [("Content-Encoding", "gzip")], body: bomb) }
                let session = Session()
                _ = await session.request(server.url("/none")).serializingData().response
                let before = try #require(ProcessFacts.peakMemory)
                var count = 0
                for try await piece in session.streamRequest(server.url()).streamTask().streamingData() { count += piece.count }
                #expect(count == mebibytes << 20)

                var configuration = SessionConfiguration()
                configuration.maximumResponseBodySize = 5_000_000
                count = 0
                let error = await #expect(throws: FirewheelError.self) {
                    let stream = Session(configuration: configuration).streamRequest(server.url()).streamTask().streamingData()
                    for try await piece in stream { count += piece.count }
                }
                #expect(error?.kind == .responseBodyTooLarge)
                #expect(count <= 5_000_000)
                let after = try #require(ProcessFacts.peakMemory)
                #expect(after - before < StreamFloodTests.most)
            }
        }
    }
#endif
