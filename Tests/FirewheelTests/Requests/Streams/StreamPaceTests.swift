#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// The pace of the reader is that of the server.
    @Suite("The pace of streams", .eachTransportAndTLS, .timeLimit(.minutes(1)))
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

        @Test("A loop that does not go on stops the server, and memory stays flat")
        func loop() async throws {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 50)
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
