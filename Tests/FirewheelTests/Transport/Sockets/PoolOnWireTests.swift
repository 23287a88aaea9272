#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    @Suite("Sharing the loop and the pool on sockets", .timeLimit(.minutes(5)))
    struct PoolOnWireTests {
        @Test("With more origins than lanes are kept, each keeps its connection for the next request")
        func manyOrigins() async throws {
            let servers = try (0..<100).map { _ in try MockServer() }
            defer { for server in servers { server.shutdown() } }
            // Longer than the first round may take on a busy machine.
            let configuration = SessionConfiguration.with { $0.idleConnectionTimeout = 600 }
            let session = Session(configuration: configuration, transport: SocketTransport(configuration: configuration))
            for round in 0..<2 {
                for server in servers {
                    server.enqueue(.text("round \(round)"))
                    let response = await session.request(server.url()).raw()
                    #expect(response.text == "round \(round)" && response.hop?.isReusedConnection == (round == 1))
                }
            }
            #expect(servers.allSatisfy { $0.connectionCount == 1 })
        }

        /// zstd of an empty gzip member with 4 GiB of padding behind it, and gzip of br of 1 GiB of zeros.
        private static let bombs: [(codings: String, body: [UInt8])] = {
            let empty: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            let header = UInt32(empty.count) << 3
            let silent =
                [0x28, 0xB5, 0x2F, 0xFD, 0x00, 7 << 3, UInt8(header & 0xFF), UInt8(header >> 8), 0] + empty
                + CodingFixtures.zstdZeros(blocks: 32_768).dropFirst(6)
            return [("gzip, zstd", silent), ("br, gzip", CodingFixtures.gzipOfBrBomb)]
        }()

        @Test("A body that expands for long holds up no other request, and can be cancelled", arguments: [0, 1])
        func bomb(_ number: Int) async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            let (codings, body) = Self.bombs[number]
            server.route("/bomb") { _ in .data(Data(body), headers: ["Content-Encoding": codings]) }
            server.route("/small") { _ in .text("small") }
            let session = Session(
                configuration: .with { $0.maximumResponseBodySize = 1 << 40 }, transport: SocketTransport())
            let (isEarly, texts) = (Locked(false), Journal<String?>())
            // On a thread, and again where the machine is so busy that the large body is decoded before the small ones have come.
            await onThreads(1) { _ in
                for _ in 0..<5 where !isEarly.withLock({ $0 }) {
                    let (isOver, hasEnded) = (Locked(false), DispatchSemaphore(value: 0))
                    let count = server.requestCount
                    let large = session.request(server.url("/bomb")).response(queue: .global()) { _ in
                        isOver.withLock { $0 = true }
                        hasEnded.signal()
                    }
                    let hasCome = server.waitForRequests(count + 1)
                    #expect(hasCome)
                    for _ in 0..<10 {
                        let isThere = DispatchSemaphore(value: 0)
                        session.request(server.url("/small")).responseString(queue: .global()) { response in
                            texts.add(response.value)
                            isThere.signal()
                        }
                        #expect(isThere.wait(timeout: .now() + 60) == .success)
                    }
                    if !isOver.withLock({ $0 }) { isEarly.withLock { $0 = true } }
                    large.cancel()
                    #expect(hasEnded.wait(timeout: .now() + 60) == .success)
                }
            }
            #expect(isEarly.withLock { $0 })
            #expect(texts.count >= 10 && texts.entries.allSatisfy { $0 == "small" })
            withExtendedLifetime(session) {}
        }
    }
#endif
