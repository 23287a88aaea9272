#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// TLS that has to send something of its own before it can receive more, while the server takes nothing (RFC 8446 section 4.6.3). Each
    /// test is a process of its own, whose loop serves nothing else.
    @Suite("TLS reads that have to write", .needsHTTP2Server, .timeLimit(.minutes(5)))
    struct BlockedReadTests {
        /// How many bytes the server sends. It asks for new keys behind each, and the answers are more than the sockets' buffers take.
        private static let count = 20_000

        /// Passes the server's records on all at once, and does not take the client's until it may.
        private final class Gate: Sendable {
            private struct State {
                var kept: [UInt8] = []
                var isHolding = false
                var isHeld = false
            }

            private let state = Locked(State())
            private let isOpen = DispatchSemaphore(value: 0)

            var isHeld: Bool { state.withLock { $0.isHeld } }

            func begin() { state.withLock { $0.isHolding = true } }
            func open() { isOpen.signal() }

            func edit(_ record: [UInt8]) -> RecordRelay.Edit {
                let (bytes, waits) = state.withLock { state in
                    guard state.isHolding else { return (record, state.isHeld) }
                    state.kept += record
                    // A byte, what is around it, and a message that asks for new keys.
                    guard state.kept.count > 40 * BlockedReadTests.count else { return ([], false) }
                    state.isHolding = false
                    state.isHeld = true
                    defer { state.kept = [] }
                    return (state.kept, false)
                }
                if waits {
                    isOpen.wait()
                    isOpen.signal()
                }
                return RecordRelay.Edit(bytes: bytes)
            }
        }

        @Test("Such a connection waits without using the processor, and goes on when the server reads")
        func waits() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 150)
                let bench = try SecureFramesBench(front: { $0.keyUpdateInterval = 1 })
                let gate = Gate()
                let relay = try RecordRelay(to: bench.front.port) { gate.edit($0) }
                await bench.run { bench in
                    let id = try bench.wire.start("https://127.0.0.1:\(relay.port)/")
                    let peer = try bench.frames.accept()
                    let stream = try peer.request()
                    try bench.wire.inspect { pool in
                        for case let connection as HTTP2Connection in pool.connections.values {
                            FrontSocket.setOption(SOL_SOCKET, SO_SNDBUF, 4_096, of: connection.wire.socket.descriptor)
                        }
                    }
                    gate.begin()
                    peer.send(.headers, flags: 4, stream: stream, [0x88])
                    for half in 0..<2 {
                        let piece = pattern(Self.count)[(half * Self.count / 2)..<((half + 1) * Self.count / 2)]
                        peer.send(.data, flags: UInt8(half), stream: stream, Array(piece))
                    }
                    for _ in 0..<2_000 where !gate.isHeld { usleep(10_000) }
                    try #require(gate.isHeld)
                    var wantsWriting = false
                    for _ in 0..<200 where !wantsWriting {
                        usleep(10_000)
                        wantsWriting = try bench.wire.inspect { pool in
                            pool.connections.values.contains { ($0 as? HTTP2Connection)?.wire.needsWriting == true }
                        }
                    }
                    #expect(wantsWriting, "TLS does not have to write")
                    let before = try #require(ProcessFacts.loopTime)
                    usleep(300_000)
                    let used = try #require(ProcessFacts.loopTime) - before
                    #expect(used < 0.1, "the loop used the processor for \(used) of 0.3 seconds")
                    gate.open()
                    let result = try bench.wire.end(of: id)
                    #expect(result.error == nil && result.body == pattern(Self.count))
                }
                relay.stop()
            }
        }
    }
#endif
