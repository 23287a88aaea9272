import Firewheel
import FirewheelTesting
import Foundation
import Testing

#if os(Linux)
    /// A request suspended in the middle of its upload stops sending, and continues later.
    @Suite("Suspending in the middle of an upload", .eachTransport, .timeLimit(.minutes(5)))
    struct SuspendedUploadTests {
        /// A server that reads a request body on demand, and counts its bytes.
        private final class Reader: Sendable {
            let server: MockServer
            let come = Journal<Int>()
            let bodies = Journal<Data>()
            private let gate = DispatchSemaphore(value: 0)

            init() throws {
                server = try MockServer(recordsRequests: false)
                let (come, bodies, gate) = (come, bodies, gate)
                server.route("*") { request in
                    bodies.add(request.body)
                    return .text("done")
                }
                server.readBodies { request in
                    come.add(request.body.count)
                    if request.body.isEmpty { _ = gate.wait(timeout: .now() + 60) }
                }
            }

            /// Reads from now on.
            func read() { gate.signal() }
        }

        private static let idleTimeout: TimeInterval = 6

        @Test("A suspended upload sends no more than its buffers, does not time out, and continues after resume()")
        func held() async throws { try await atOnce([nil, Self.idleTimeout], held) }

        @Sendable private func held(idleTimeout: TimeInterval?) async throws {
            let (reader, other) = (try Reader(), try MockServer())
            defer {
                reader.server.shutdown()
                other.shutdown()
            }
            other.route("*") { _ in .text("other") }
            let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = idleTimeout ?? 60 })
            let body = pattern(5_000_000)
            let outcome = Journal<DataResponse<Data?>>()
            let request = try session.sending(body, to: reader.server.url()).response(queue: .global()) { outcome.add($0) }
            _ = try await reader.come.wait(for: 1)
            request.suspend()
            // The transport has received the suspension once another request has completed.
            #expect(await session.request(other.url()).raw().text == "other")
            reader.read()
            // Longer than the idle timeout.
            let enough = Int(Self.idleTimeout * 20) + 10
            var (last, quiet) = (0, 0)
            for _ in 0..<1_000 where quiet < enough {
                try await Task.sleep(nanoseconds: 50_000_000)
                let count = reader.come.entries.last ?? 0
                (last, quiet) = (count, count == last ? quiet + 1 : 0)
            }
            #expect(quiet == enough && last < 2_500_000, "\(last) bytes have come")
            #expect(outcome.entries.map { "\($0.result)" } == [] && request.isSuspended)
            request.resume()
            #expect(try await outcome.wait(for: 1)[0].text == "done")
            let isSame = reader.bodies.entries == [body]
            #expect(isSame)
            #expect(reader.server.connectionCount == 1)
        }

        @Test("An upload suspended and resumed by several threads arrives exactly once and complete", arguments: [1, 2])
        func exact(threads: Int) async throws {
            let server = try MockServer(recordsRequests: false)
            defer { server.shutdown() }
            let bodies = Journal<Data>()
            server.route("*") { request in
                bodies.add(request.body)
                return .text("done")
            }
            let suspensions = Journal<Void>()
            server.readBodies { _ in
                usleep(300)
                // The body must not be over before it was suspended a few times.
                for _ in 0..<20_000 where suspensions.count <= 5 { usleep(1_000) }
            }
            let session = Session.onTest()
            let body = pattern(1_500_000).dropFirst(7)
            let request = try session.sending(body, to: server.url())
            let task = request.serializingString()
            await onThreads(threads) { number in
                var generator = SeededGenerator(state: UInt64(number))
                while !request.isFinished {
                    if request.suspend().isSuspended { suspensions.add(()) }
                    usleep(UInt32.random(in: 0..<1_000, using: &generator))
                    request.resume()
                    usleep(UInt32.random(in: 0..<2_000, using: &generator))
                }
            }
            #expect(try await task.value == "done")
            let isSame = bodies.entries == [Data(body)]
            #expect(isSame)
            #expect(suspensions.count > 5)
        }
    }
#endif
