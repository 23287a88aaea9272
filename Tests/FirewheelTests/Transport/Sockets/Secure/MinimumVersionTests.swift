#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    @Suite("Minimum versions of TLS on sockets", .needsTLSServer, .timeLimit(.minutes(5)))
    struct MinimumVersionTests {
        @Test("Connections are shared only by requests that demand the same version, and a server that does not offer it is an error")
        func demanded() async throws {
            let bench = try SecureBench(.with { $0.maximumVersion = .tls12 })
            defer { bench.stop() }
            bench.server.route("*") { .text($0.path) }
            let transport = bench.authority.socketTransport()
            let recorder = ConformanceRecorder()
            let target = try #require(TargetURI(bench.url()))
            func result(_ number: UInt64, _ version: TLSVersion) async -> TransportResult? {
                var request = TransportRequest(id: TransportTaskID(request: number), method: .get, target: target)
                request.route.minimumTLSVersion = version
                recorder.expect(request)
                transport.start(request, receiver: recorder)
                let (id, result) = (request.id, Locked<TransportResult?>(nil))
                await onThreads(1) { _ in
                    let end = recorder.wait(id, seconds: 20) { $0.result }
                    result.withLock { $0 = end }
                }
                return result.withLock { $0 }
            }
            #expect(await result(1, .v1_2)?.head?.statusCode == 200)
            let address = "127.0.0.1:\(bench.front.port)"
            let words = "the TLS handshake with \(address) failed: the server does not offer TLS 1.3 or later (alert protocol_version)"
            #expect(await result(2, .v1_3)?.error == .failed(.secureConnectionFailed, words))
            #expect(await result(3, .v1_2)?.head?.statusCode == 200)
            // The third request has gone over the connection of the first.
            #expect(bench.front.handshakes.map(\.isComplete) == [true, false])
            #expect(bench.server.requestCount == 2)
            withExtendedLifetime(transport) {}
        }
    }
#endif
