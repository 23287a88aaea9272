#if os(Linux)
    import CFirewheelSystem
    import Foundation
    import Glibc
    import TLSTestServer
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// OpenSSL clears itself away in `exit`, under whoever uses it at that time.
    @Suite("TLS: exit", .needsTLSServer, .timeLimit(.minutes(5)))
    struct TLSGateTests {
        @Test("A process can exit in the middle of handshakes")
        func handshakes() async {
            for round in 0..<5 {
                if round % 2 == 0 { await exitingEarly() } else { await exitingLate() }
            }
        }

        @Test("A process can exit while OpenSSL is being initialised, for TLS or for a digest")
        func initialising() async {
            for _ in 0..<TestDepth.choose(2, deep: 50) {
                await #expect(processExitsWith: .exitCode(7)) { try TLSGateTests.exitWhileInitialising(digest: false) }
                await #expect(processExitsWith: .exitCode(7)) { try TLSGateTests.exitWhileInitialising(digest: true) }
            }
        }

        private static func exitWhileInitialising(digest: Bool) throws {
            // As above.
            atexit { usleep(30_000) }
            let hasBegun = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                hasBegun.signal()
                if digest { _ = HashAlgorithm.md5.obstacle } else { _ = TLSLibrary.system }
            }
            hasBegun.wait()
            usleep(UInt32.random(in: 0...3_000))
            exit(7)
        }

        private func exitingEarly() async {
            await #expect(processExitsWith: .exitCode(7)) { try TLSGateTests.exitWhileConnecting(after: 5_000) }
        }

        private func exitingLate() async {
            await #expect(processExitsWith: .exitCode(7)) { try TLSGateTests.exitWhileConnecting(after: 60_000) }
        }

        /// Begins handshakes on two threads as loops would, until the process has exited under them. There is no server in the process,
        /// whose own OpenSSL would stand still.
        private static func exitWhileConnecting(after microseconds: UInt32) throws {
            // Registered before OpenSSL's handler, so that it runs after that: a moment in which its use would show.
            atexit { usleep(30_000) }
            let authority = try TestAuthority()
            let context = try TLSContext.trusting(authority)
            let (hasBegun, file) = (DispatchSemaphore(value: 0), authority.pemFile.path)
            for _ in 0..<2 {
                Thread.detachNewThread {
                    var isFirst = true
                    while TLSGate.enter() {
                        Self.beginHandshake(context)
                        TLSGate.leave()
                        if isFirst { hasBegun.signal() }
                        isFirst = false
                    }
                    // Like a loop's thread it does not end: OpenSSL frees what it keeps for a thread when that ends, also in its own clean-up.
                    while true { sleep(1) }
                }
            }
            Thread.detachNewThread {
                // Stores are read by other threads than the loop's, and never from the cache here.
                while true { _ = try? TLSContext.load(places: TLSStorePlaces(file: file, directories: [UUID().uuidString])) }
            }
            for _ in 0..<2 { hasBegun.wait() }
            usleep(microseconds)
            exit(7)
        }

        private static func beginHandshake(_ context: TLSContext) {
            var descriptors: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0 else { return }
            let stream = try? TLSStream(context, descriptor: descriptors[0], peer: .test, protocols: ["h2"], sessions: nil)
            _ = stream?.handshake()
            stream?.close()
            for descriptor in descriptors { close(descriptor) }
        }

        @Test("Exit waits for a thread that is inside, lets it in again, and lets nobody else in")
        func waits() async {
            await #expect(processExitsWith: .exitCode(8)) {
                _ = try TLSLibrary.system.get()
                let isInside = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    guard TLSGate.enter() else { _exit(1) }
                    isInside.signal()
                    // Until exit has closed the gate for others.
                    while TLSGateTests.canOthersEnter() { usleep(1_000) }
                    guard TLSGate.enter() else { _exit(2) }
                    TLSGate.leave()
                    _exit(8)
                }
                isInside.wait()
                exit(3)
            }
        }

        private static func canOthersEnter() -> Bool {
            let isOpen = Locked(false)
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                if TLSGate.enter() {
                    isOpen.withLock { $0 = true }
                    TLSGate.leave()
                }
                isDone.signal()
            }
            isDone.wait()
            return isOpen.withLock { $0 }
        }

        @Test("Exit within the gate does not wait for itself, and what is freed afterwards is left alone")
        func inside() async {
            await #expect(processExitsWith: .exitCode(9)) {
                let authority = try TestAuthority()
                let context = try TLSContext.trusting(authority)
                let pair = try TLSPair(context, TLSFrontContext(authority.identity(names: ["localhost"]), .init()))
                pair.handshake()
                guard TLSGate.enter() else { return }
                exit(9)
            }
        }
    }
#endif
