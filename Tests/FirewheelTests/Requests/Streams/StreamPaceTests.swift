#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// The pace of the reader is that of the server.
    @Suite("The pace of streams", .eachTransportAndTLS, .timeLimit(.minutes(5)))
    struct StreamPaceTests {
        /// More than the transport and the system's sockets keep for a reader.
        private static let most = 32 << 20

        /// Waits until the system takes no more bytes of the server.
        private func waitUntilStalled(_ server: MeteredServer) async {
            var (last, unchanged) = (-1, 0)
            while unchanged < 10 {
                let sent = server.sent
                unchanged = sent == last && sent > 0 ? unchanged + 1 : 0
                last = sent
                try? await Task.sleep(for: .milliseconds(20))
            }
        }

        @Test("A handler that does not return stops the server")
        func handler() async throws {
            let server = try MeteredServer(size: 1 << 30)
            let (goesOn, collector) = (DispatchSemaphore(value: 0), StreamCollector<Data>())
            let request = Session.onTest().streamRequest(server.url).responseStream(queue: DispatchQueue(label: "slow")) { stream in
                if stream.value != nil { goesOn.wait() }
                if stream.completion != nil { collector.take(stream) }
            }
            await waitUntilStalled(server)
            #expect(server.sent < Self.most)
            request.cancel()
            goesOn.signal()
            #expect(await collector.wait().error?.isExplicitlyCancelled == true)
        }

        /// What a handler gets, and whether on the main actor.
        enum Elements: CaseIterable {
            case data, strings, lines, values

            /// Attaches a handler.
            ///
            /// - Parameters:
            ///   - queue: nil for the main actor.
            ///   - call: Called with whether there is an element, and not the end.
            func attach(to request: DataStreamRequest, _ queue: DispatchQueue?, _ call: @escaping @Sendable (_ isElement: Bool) -> Void) {
                switch (self, queue) {
                case (.data, nil): request.responseStream { call($0.completion == nil) }
                case (.data, let queue?): request.responseStream(queue: queue) { call($0.completion == nil) }
                case (.strings, nil): request.responseStreamString { call($0.completion == nil) }
                case (.strings, let queue?): request.responseStreamString(queue: queue) { call($0.completion == nil) }
                case (.lines, nil): request.responseStreamLines { call($0.completion == nil) }
                case (.lines, let queue?): request.responseStreamLines(queue: queue) { call($0.completion == nil) }
                case (.values, nil): request.responseStreamDecodable(of: Int.self) { call($0.value != nil) }
                case (.values, let queue?): request.responseStreamDecodable(of: Int.self, queue: queue) { call($0.value != nil) }
                }
            }

            /// Reads numbers without an end with a handler that returns when it may.
            func read(on queue: DispatchQueue?) async throws {
                let (server, sent) = (try MockServer(), Locked(0))
                let piece = Data(String(repeating: "12345\n", count: 10_000).utf8)
                server.exchange("/") { exchange in
                    try exchange.sendHead()
                    while true {
                        try exchange.sendChunk(piece)
                        sent.withLock { $0 += piece.count }
                    }
                }
                let (elements, returns, isOver) = (Locked(0), DispatchSemaphore(value: 0), OneShot<Bool>())
                let session = Session.onTest()
                let request = session.streamRequest(server.url())
                attach(to: request, queue) { isElement in
                    guard isElement else { return isOver.fulfill(true) }
                    elements.withLock { $0 += 1 }
                    returns.wait()
                }
                for round in 1...3 {
                    try await waitUntil("element \(round) of \(self)") { elements.withLock { $0 } >= round }
                    var (last, unchanged) = (-1, 0)
                    while unchanged < 10 {
                        let now = sent.withLock { $0 }
                        unchanged = now == last && now > 0 ? unchanged + 1 : 0
                        last = now
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    #expect(last < StreamPaceTests.most)
                    #expect(elements.withLock { $0 } == round, "\(self)")
                    if round == 3 { request.cancel() }
                    returns.signal()
                }
                _ = await isOver.value
                #expect(elements.withLock { $0 } == 3, "\(self)")
            }
        }

        /// On a concurrent queue, so that it is not the queue that makes them wait.
        @Test("Each element waits for the handler of the last, and so does the server", arguments: Elements.allCases)
        func elements(elements: Elements) async throws {
            try await elements.read(on: .global())
        }

        @Test("So do those of handlers on the main actor")
        func elementsOnTheMainActor() async throws {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                ProcessFacts.giveUp(after: 240)
                transport.adopt()
                for elements in Elements.allCases { try await elements.read(on: nil) }
            }
        }

        @Test("A loop that does not go on stops the server, and memory stays flat")
        func loop() async throws {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                let before = try #require(ProcessFacts.peakMemory)
                let server = try MeteredServer(size: 1 << 30)
                let session = Session()
                var iterator = session.streamRequest(server.url).streamTask().streamingData().makeAsyncIterator()
                var received = try #require(try await iterator.next()).count
                var (last, unchanged) = (-1, 0)
                while unchanged < 10 {
                    let sent = server.sent
                    unchanged = sent == last ? unchanged + 1 : 0
                    last = sent
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(server.sent < StreamPaceTests.most)
                // Then the rest, which is intact.
                let block = pattern(patternPeriod)
                while let piece = try await iterator.next() {
                    #expect(piece.first == block[received % patternPeriod])
                    received += piece.count
                }
                #expect(received == 1 << 30)
                let after = try #require(ProcessFacts.peakMemory)
                #expect(after - before < 40_000_000)
            }
        }

        @Test("Loops over streams that always have a piece at hand leave the processors to other tasks, too")
        func fairness() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let server = try MockServer(recordsRequests: false)
                let piece = Data(String(repeating: "12345\n", count: 10_000).utf8)
                server.exchange("/") { exchange in
                    try exchange.sendHead()
                    while true { try exchange.sendChunk(piece) }
                }
                // More than there are threads for tasks.
                let count = 2 * ProcessInfo.processInfo.activeProcessorCount
                let lines = Locked([Int](repeating: 0, count: count))
                let loops = (0..<count).map { number in
                    Task {
                        let request = Session.onTest().streamRequest(server.url())
                        for try await _ in request.streamTask().streamingLines() { lines.withLock { $0[number] += 1 } }
                    }
                }
                // Each goes on, and so does this task.
                for wanted in [1, 10_000, 20_000] {
                    while !lines.withLock({ $0.allSatisfy { $0 >= wanted } }) { try await Task.sleep(for: .milliseconds(1)) }
                }
                for loop in loops { loop.cancel() }
                for loop in loops { _ = await loop.result }
                server.shutdown()
            }
        }

        @Test("A slow reader of two sets the pace, and the fast one gets everything")
        func two() async throws {
            let server = try MeteredServer(size: 64 << 20)
            let session = Session(transport: TestTransport.current.make(), startRequestsImmediately: false)
            let goesOn = Latch()
            let request = session.streamRequest(server.url)
            let (first, second) = (request.streamTask().streamingData(), request.streamTask().streamingData())
            request.resume()
            async let quick = first.reduce(0) { $0 + $1.count }
            async let late = {
                await goesOn.wait()
                return try await second.reduce(0) { $0 + $1.count }
            }()
            await waitUntilStalled(server)
            #expect(server.sent < Self.most)
            goesOn.open()
            #expect(try await quick == 64 << 20)
            #expect(try await late == 64 << 20)
        }
    }
#endif
