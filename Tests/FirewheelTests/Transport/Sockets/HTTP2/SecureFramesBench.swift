#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// A server whose HTTP/2 is spoken frame by frame, and its HTTP/1.1 by a mock server.
    final class SecureFramesBench: Sendable {
        let authority: TestAuthority
        let frames: FramesServer
        let plain: MockServer
        let front: TLSFront
        let wire: HTTP2WireBench

        init(
            front change: (inout TLSFront.Options) -> Void = { _ in }, limits: (inout ConnectionLimits) -> Void = { _ in }
        ) throws {
            authority = try TestAuthority()
            let (frames, plain) = (try FramesServer(), try MockServer())
            plain.route("*") { .text("\($0.method) \(String(decoding: $0.body, as: UTF8.self))") }
            let options = TLSFront.Options.with {
                $0.protocols = ["h2", "http/1.1"]
                $0.ports["h2"] = frames.port
                // A resumed session has no question about its certificate.
                $0.resumption = .none
                change(&$0)
            }
            front = try TLSFront(to: plain.port, identity: authority.identity(addresses: ["127.0.0.1"]), options: options)
            (self.frames, self.plain) = (frames, plain)
            wire = HTTP2WireBench({ $0.httpVersions = .automatic }, places: TLSStorePlaces(file: authority.pemFile.path), limits: limits)
        }

        /// Runs a server's part on a thread of its own.
        func run(_ work: @escaping @Sendable (SecureFramesBench) throws -> Void) async {
            await onThreads(1) { _ in
                do { try work(self) } catch { Issue.record(error) }
                self.wire.release()
                #expect(self.frames.areAllEnded(), "a connection was left open")
            }
            front.stop()
            plain.shutdown()
            #expect(wire.recorder.violations == [])
        }

        /// Waits for the question about the server's certificate, and accepts it.
        ///
        /// - Parameter act: What to do with the transport before.
        func acceptCertificate(of id: TransportTaskID, _ act: (SocketTransport) -> Void = { _ in }) throws {
            let deadline = MonotonicInstant.now().advanced(by: 20)
            while try !wire.inspect({ $0.transfers[id]?.isAsking == true }) {
                guard MonotonicInstant.now() < deadline else { throw WaitedInVain(what: "a question") }
                usleep(1_000)
            }
            wire.with { transport in
                act(transport)
                transport.answer(id, .accept)
            }
        }
    }

    extension HTTP2WireBench {
        /// Looks at the transport's pool on the loop's thread.
        func inspect<Found: Sendable>(_ look: @escaping @Sendable (ConnectionPool) -> Found) throws -> Found {
            let (found, isFound) = (Locked<Found?>(nil), DispatchSemaphore(value: 0))
            with { transport in
                guard let opened = try? transport.open() else { return }
                let pool = opened.pool
                let command = PoolCommand.inspect {
                    let result = look(pool.object)
                    found.withLock { $0 = result }
                    isFound.signal()
                }
                opened.inbox.post(LoopMessage(pool: pool, command: command))
            }
            guard isFound.wait(timeout: .now() + 20) == .success, let result = found.withLock({ $0 }) else {
                throw WaitedInVain(what: "the loop")
            }
            return result
        }

        /// Does something while the loop stands still, so that all of it is handled in one turn.
        func whileStopped(_ work: () throws -> Void) throws {
            let (isStopped, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            with { transport in
                guard let opened = try? transport.open() else { return }
                let command = PoolCommand.inspect {
                    isStopped.signal()
                    goOn.wait()
                }
                opened.inbox.post(LoopMessage(pool: opened.pool, command: command))
            }
            defer { goOn.signal() }
            guard isStopped.wait(timeout: .now() + 20) == .success else { throw WaitedInVain(what: "the loop") }
            try work()
        }
    }
#endif
