#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    @Suite("Sharing the loop and the pool on sockets", .timeLimit(.minutes(2)))
    struct PoolOnWireTests {
        @Test("With more origins than lanes are kept, each keeps its connection for the next request")
        func manyOrigins() async throws {
            let servers = try (0..<100).map { _ in try MockServer() }
            defer { for server in servers { server.shutdown() } }
            let session = Session(transport: SocketTransport())
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
            let isOver = Locked(false)
            let large = session.request(server.url("/bomb")).response(queue: .global()) { _ in isOver.withLock { $0 = true } }
            #expect(await server.waitForRequests(1))
            for _ in 0..<10 { #expect(await session.request(server.url("/small")).raw().text == "small") }
            #expect(!isOver.withLock { $0 })
            large.cancel()
            #expect(await eventually { isOver.withLock { $0 } })
        }
    }
#endif
