#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    @Suite("Bodies that decode to very much", .timeLimit(.minutes(5)))
    struct CodingBombTests {
        /// One member of 1 MiB of zeros, 1,024 times.
        private static let gzip: [UInt8] = {
            let member = Decoded.decode([CodingFixtures.gzipOfGzipOfZeros], "gzip").content
            return Array(repeatElement(Array(member), count: 1024).joined())
        }()

        private static let bodies: [(coding: String, body: [UInt8])] = [
            ("gzip", gzip), ("br, gzip", CodingFixtures.gzipOfBrBomb), ("zstd", CodingFixtures.zstdZeros(blocks: 8192)),
        ]

        @Test("1 GiB of zeros stops at exactly the limit, in pieces of at most 64 KiB and calls of at most the room")
        func limit() throws {
            for (coding, body) in Self.bodies {
                let decoder = try #require(ContentDecoder(contentEncoding: [coding], limit: 50_000_001))
                var used = 0
                var sum = 0
                let error = #expect(throws: TransportError.self) {
                    while true {
                        var ofCall = 0
                        let progress = try decoder.decode(body[used...], room: 200_000) { piece in
                            #expect(piece.count <= 65_536)
                            ofCall += piece.count
                        }
                        #expect(ofCall == progress.written && ofCall <= 200_000)
                        used += progress.consumed
                        sum += ofCall
                        try #require(!progress.isDrained)
                    }
                }
                #expect(error == .bodyTooLarge)
                #expect(sum == 50_000_001 && decoder.decodedCount == sum, "\(coding)")
            }
        }

        @Test("Content at the limit that has come to its end is no error")
        func exact() {
            let decoded = Decoded.decode([CodingFixtures.zstdZeros(blocks: 80)], "zstd", limit: 80 * 131_072, keeps: false)
            #expect(decoded.error == nil)
            #expect(Decoded.decode([CodingFixtures.zstdZeros(blocks: 80)], "zstd", limit: 80 * 131_072 - 1).error == .bodyTooLarge)
        }

        @Test("A call ends soon even if nothing comes of what an outer coding decodes to")
        func silent() throws {
            // zstd of an empty gzip member and 100 MiB of padding behind it.
            let empty: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            let header = UInt32(empty.count) << 3
            let body =
                [0x28, 0xB5, 0x2F, 0xFD, 0x00, 7 << 3, UInt8(header & 0xFF), UInt8(header >> 8), 0] + empty
                + CodingFixtures.zstdZeros(blocks: 800).dropFirst(6)
            let decoded = Decoded.decode([body], "gzip, zstd")
            #expect(decoded.error == nil && decoded.content.isEmpty)
            #expect(decoded.calls > 50)
        }

        @Test("60 MB of zeros take less than 24 MB of memory")
        func memory() async {
            await #expect(processExitsWith: .success) {
                for (coding, body) in Self.bodies {
                    let before = try #require(ProcessFacts.peakMemory)
                    let decoded = Decoded.decode([body], coding, limit: 60_000_000, keeps: false)
                    #expect(decoded.error == .bodyTooLarge)
                    let used = try #require(ProcessFacts.peakMemory) - before
                    #expect(used < 24 << 20, "\(coding) took \(used) bytes")
                }
            }
        }
    }
#endif
