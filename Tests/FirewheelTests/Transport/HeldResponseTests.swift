#if os(Linux)
    import Firewheel
    import Foundation
    import Glibc
    import Testing

    @testable import FirewheelTesting

    /// A response that is not acknowledged blocks nothing but itself (``Transport/acknowledge(_:bytes:)``).
    @Suite("Responses that are not acknowledged", .eachTransport, .timeLimit(.minutes(5)))
    struct HeldResponseTests {
        /// More than the socket buffers hold.
        private static let size = 32 << 20

        @Test("While a response is not acknowledged the upload continues, also after a pause", arguments: [false, true])
        func uploadGoesOn(isPausedBetween: Bool) async throws {
            let server = try HandServer()
            let transport = TestTransport.current.make()
            let recorder = ConformanceRecorder()
            let target = try #require(TargetURI(server.url))
            let id = TransportTaskID(request: 1)
            let request = TransportRequest(id: id, method: .put, target: target, body: pattern(Self.size), delivery: .chunks)
            recorder.expect(request)
            transport.start(request, receiver: recorder)
            let seen = Journal<(held: Int, afterBody: Int)>()
            await onThreads(1) { _ in
                do {
                    let connection = try server.acceptConnection()
                    let begun = try server.readRequest(connection, bodySize: 1).body.count
                    // Blocks if the client does not read.
                    let isWritten = DispatchSemaphore(value: 0)
                    let writer = Thread {
                        defer { isWritten.signal() }
                        let head = Data("HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\n\r\n".utf8)
                        Self.send(head + pattern(Self.size), on: connection)
                    }
                    writer.start()
                    defer {
                        // After a failure it may still be blocked.
                        if !recorder.isOver(id) { shutdown(connection, Int32(SHUT_RDWR)) }
                        isWritten.wait()
                    }
                    let held = Self.settled { recorder.count(of: id) }
                    if isPausedBetween {
                        transport.pause(id)
                        transport.resume(id)
                    }
                    try server.read(Self.size - begun, from: connection)
                    seen.add((held, recorder.count(of: id)))
                    var acknowledged = 0
                    let end = DispatchTime.now() + 60
                    while !recorder.isOver(id), DispatchTime.now() < end {
                        let news = recorder.count(of: id) - acknowledged
                        acknowledged += news
                        if news > 0 { transport.acknowledge(id, bytes: news) } else { usleep(500) }
                    }
                } catch {
                    Issue.record(error)
                }
            }
            let (held, afterBody) = try #require(seen.entries.first)
            // The window, and one piece.
            #expect(held > 0 && afterBody <= 1 << 20 + 131_072, "\(held) bytes, then \(afterBody)")
            let record = recorder[id]
            #expect(record.result.map { "\($0.error.debugDescription)" } == "nil")
            let isWhole = record.content == pattern(Self.size)
            #expect(isWhole, "\(record.content.count) bytes")
            #expect(recorder.violations == [])
        }

        @Test("Acknowledging a negative or excessive number of bytes does no harm")
        func oddNumbers() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            let body = pattern(4 << 20)
            server.route("*") { _ in .data(body) }
            let transport = TestTransport.current.make()
            let id = TransportTaskID(request: 1)
            let recorder = ConformanceRecorder()
            let request = TransportRequest(id: id, method: .get, target: try #require(TargetURI(server.url())), delivery: .chunks)
            recorder.expect(request)
            transport.start(request, receiver: recorder)
            try await waitUntil("the window") { recorder.count(of: id) >= 1 << 20 }
            for bytes in [Int.min, -1, 0] { transport.acknowledge(id, bytes: bytes) }
            #expect(recorder.count(of: id) <= 1 << 20 + 131_072 && !recorder.isOver(id))
            try await waitUntil("the end") {
                transport.acknowledge(id, bytes: .max)
                return recorder.isOver(id)
            }
            let isWhole = recorder[id].content == body
            #expect(isWhole, "\(recorder[id].content.count) bytes")
        }

        private static func send(_ data: Data, on connection: Int32) {
            data.withUnsafeBytes { bytes in
                var sent = 0
                while sent < bytes.count {
                    let count = Glibc.send(connection, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
                    guard count > 0 else { return }
                    sent += count
                }
            }
        }

        /// Waits until a number is above 0 and has been stable for half a second.
        private static func settled(_ number: () -> Int) -> Int {
            var (last, quiet) = (0, 0)
            let end = DispatchTime.now() + 30
            while quiet < 50, DispatchTime.now() < end {
                usleep(10_000)
                let now = number()
                (last, quiet) = (now, now == last && now > 0 ? quiet + 1 : 0)
            }
            return last
        }
    }
#endif
