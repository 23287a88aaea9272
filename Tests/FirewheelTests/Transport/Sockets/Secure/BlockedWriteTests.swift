#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// TLS that has to receive the rest of a message of its own before it can send, while the socket takes bytes (RFC 8446 section 5.1).
    /// Each test is a process of its own, whose loop serves nothing else.
    @Suite("TLS writes that have to read", .needsHTTP2Server, .timeLimit(.minutes(5)))
    struct BlockedWriteTests {
        /// Holds the server's records back behind the first of a ticket that needs two.
        private final class Gate: Sendable {
            private let hasPassed = Locked(false)
            private let isOpen = DispatchSemaphore(value: 0)

            var isHolding: Bool { hasPassed.withLock { $0 } }

            func open() { isOpen.signal() }

            func edit(_ record: [UInt8]) -> RecordRelay.Edit {
                let waits = hasPassed.withLock { hasPassed in
                    defer { hasPassed = hasPassed || record.count > 16_384 }
                    return hasPassed
                }
                if waits {
                    isOpen.wait()
                    isOpen.signal()
                }
                return RecordRelay.Edit(bytes: record)
            }
        }

        @Test("Such a connection waits without using the processor, and goes on with the rest", arguments: ["h2", "http/1.1"])
        func waits(name: String) async {
            await #expect(processExitsWith: .success) { [name = name as String] in
                ProcessFacts.giveUp(after: 150)
                let bench = try SecureFramesBench(front: {
                    $0.protocols = [name]
                    $0.resumption = .tickets
                    $0.ticketCount = 1
                    $0.ticketDataSize = 20_000
                })
                let gate = Gate()
                let relay = try RecordRelay(to: bench.front.port) { gate.edit($0) }
                await bench.run { bench in
                    let url = "https://127.0.0.1:\(relay.port)/"
                    // The body follows the head only when half of the ticket has come.
                    let id = try bench.wire.start(url, method: .put, body: .data(Data("body".utf8))) {
                        $0.expectsContinue = true
                    }
                    try Self.wait("half of a ticket") { gate.isHolding }
                    try Self.wait("a write that has to read") {
                        try bench.wire.inspect { pool in
                            pool.connections.values.contains {
                                ($0 as? HTTP2Connection)?.wire.needsReading == true || ($0 as? HTTP1Connection)?.wire.needsReading == true
                            }
                        }
                    }
                    let before = try #require(ProcessFacts.loopTime)
                    usleep(300_000)
                    let used = try #require(ProcessFacts.loopTime) - before
                    #expect(used < 0.1, "the loop used the processor for \(used) of 0.3 seconds")
                    gate.open()
                    if name == "h2" {
                        let peer = try bench.frames.accept()
                        let stream = try peer.request()
                        _ = try peer.next(.data)
                        peer.send(.headers, flags: 5, stream: stream, [0x88])
                    }
                    let result = try bench.wire.end(of: id)
                    #expect(result.error == nil && result.head?.statusCode == 200)
                }
                relay.stop()
            }
        }

        private static func wait(_ what: String, until isDone: () throws -> Bool) throws {
            for _ in 0..<2_000 {
                if try isDone() { return }
                usleep(10_000)
            }
            throw WaitedInVain(what: what)
        }
    }
#endif
