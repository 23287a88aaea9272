#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Testing

    /// 100 MB over a socket, suspended and resumed at random.
    @Suite("A thousand suspensions", .eachTransportAndTLS, .serialized, .timeLimit(.minutes(5)))
    struct ThousandSuspensionsTests {
        static let size = 100_000_000
        static let suspensions = 1_000
        /// The amount that socket buffers and the transport may hold while a request is suspended.
        private static let bound = 24 << 20

        /// Suspends and resumes a request a thousand times at random moments of its body. After each the server may send as much
        /// more, so that the body does not end earlier.
        ///
        /// - Returns: How often it was suspended before its end, and the seed.
        static func torment(
            _ request: Request, _ server: MeteredServer, size: Int = size, suspensions: Int = suspensions
        ) async -> (count: Int, seed: UInt64) {
            let count = Journal<Void>()
            let seed = UInt64.random(in: 0 ... .max)
            // On a thread of its own, which waits only for its own sleep.
            await onThreads(1) { _ in
                var generator = SeededGenerator(state: seed)
                while request.response == nil { usleep(100) }
                for _ in 0..<suspensions {
                    if request.suspend().isSuspended, !request.isFinished { count.add(()) }
                    server.allow(size / suspensions)
                    if Bool.random(using: &generator) { usleep(UInt32.random(in: 0..<1_000, using: &generator)) }
                    request.resume()
                    if Bool.random(using: &generator) { usleep(UInt32.random(in: 0..<2_000, using: &generator)) }
                }
            }
            return (count.count, seed)
        }

        /// Repeatedly lets a request have a part of the body, suspends it, and checks that the server stops. Returns when the server has
        /// sent everything.
        private static func holdUp(_ request: Request, of session: Session, _ server: MeteredServer) async throws {
            let other = try MockServer()
            defer { other.shutdown() }
            other.route("*") { _ in .text("other") }
            var allowed = size / 10
            server.allow(allowed)
            // More than the buffers of both sockets, which Linux lets grow to more than 30 MB where it is told to.
            let step = size * 45 / 100
            for _ in 0..<2 {
                let target = allowed
                try await waitUntil("\(target) bytes") { server.sent == target }
                request.suspend()
                // The transport has received the suspension once another request has completed.
                #expect(await session.request(other.url()).raw().text == "other")
                server.allow(step)
                allowed += step
                // The system buffers some data, and then nothing moves for half a second.
                var (last, quiet) = (server.sent, 0)
                for _ in 0..<600 where quiet < 10 {
                    try await Task.sleep(nanoseconds: 50_000_000)
                    let sent = server.sent
                    (last, quiet) = (sent, sent == last ? quiet + 1 : 0)
                }
                #expect(quiet == 10, "the server is never held up")
                // At most the socket buffers, which is less than what was left to send.
                #expect(last < allowed, "\(last) bytes are sent and \(allowed) are allowed")
                #expect(request.isSuspended)
                request.resume()
            }
            try await waitUntil("the whole body") { server.sent == size }
        }

        /// Whether a file is `pattern(size)`.
        private static func isWhole(_ file: URL) throws -> Bool {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            let block = pattern(patternPeriod)
            var count = 0
            while let piece = try handle.read(upToCount: patternPeriod), !piece.isEmpty {
                guard piece == block.prefix(piece.count) else { return false }
                count += piece.count
            }
            return count == size
        }

        /// Whether data are `pattern(size)`, without copying them.
        private static func isWhole(_ data: Data) -> Bool {
            let block = pattern(patternPeriod)
            return data.count == size
                && stride(from: 0, to: size, by: patternPeriod).allSatisfy { start in
                    let piece = data[start..<min(size, start + patternPeriod)]
                    return piece == block.prefix(piece.count)
                }
        }

        /// In a process of its own, to measure its memory.
        @Test("A download suspended a thousand times is exact, is requested once, and needs little memory")
        func download() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 120)
                let server = try MeteredServer(size: Self.size, allowed: 1_000)
                let session = Session.onTest()
                let done = Journal<DownloadResponse<URL>>()
                let before = try #require(ProcessFacts.peakMemory)
                let request = session.download(server.url).responseURL(queue: .global()) { done.add($0) }
                let (count, seed) = await Self.torment(request, server)
                let file = try #require(try await done.wait(for: 1)[0].value, "seed \(seed)")
                #expect(count == Self.suspensions, "seed \(seed)")
                // The server counts what it has sent a moment after the client may have it.
                try await waitUntil("the whole body, seed \(seed)") { server.sent == Self.size }
                let more = try #require(ProcessFacts.peakMemory) - before
                #expect(more < Self.bound, "\(more) bytes more at the most")
                #expect(try Self.isWhole(file), "seed \(seed)")
                try FileManager.default.removeItem(at: file)
            }
        }

        @Test("A body in memory suspended a thousand times is exact and requested once")
        func data() async throws {
            let server = try MeteredServer(size: Self.size, allowed: 1_000)
            let session = Session.onTest()
            let done = Journal<DataResponse<Data>>()
            let request = session.request(server.url).responseData(queue: .global()) { done.add($0) }
            let (count, seed) = await Self.torment(request, server)
            let data = try #require(try await done.wait(for: 1)[0].value, "seed \(seed)")
            #expect(count == Self.suspensions, "seed \(seed)")
            // The server counts what it has sent a moment after the client may have it.
            try await waitUntil("the whole body, seed \(seed)") { server.sent == Self.size }
            let isWhole = Self.isWhole(data)
            #expect(isWhole, "seed \(seed)")
        }

        @Test("The server sees a suspended download stop and continue")
        func heldDownload() async throws {
            let server = try MeteredServer(size: Self.size, allowed: 0)
            let session = Session.onTest()
            let done = Journal<DownloadResponse<URL>>()
            let request = session.download(server.url).responseURL(queue: .global()) { done.add($0) }
            try await Self.holdUp(request, of: session, server)
            let file = try #require(try await done.wait(for: 1)[0].value)
            #expect(try Self.isWhole(file))
            try FileManager.default.removeItem(at: file)
        }

        @Test("The server sees a suspended data request stop and continue")
        func heldData() async throws {
            let server = try MeteredServer(size: Self.size, allowed: 0)
            let session = Session.onTest()
            let done = Journal<DataResponse<Data>>()
            let request = session.request(server.url).responseData(queue: .global()) { done.add($0) }
            try await Self.holdUp(request, of: session, server)
            let data = try #require(try await done.wait(for: 1)[0].value)
            let isWhole = Self.isWhole(data)
            #expect(isWhole)
        }
    }
#endif
