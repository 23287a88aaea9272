#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    @Suite("Corrupt bodies in content codings", .timeLimit(.minutes(5)))
    struct CorruptCodingTests {
        /// Those whose checksum finds every change in the content.
        private static func hasChecksum(_ sample: Sample) -> Bool { !["br", "deflate raw", "br, gzip"].contains(sample.description) }

        @Test(
            "A body with a flipped byte is an error or has other content, and never the right content by a wrong checksum",
            arguments: CodingFixtures.all)
        func flipped(sample: Sample) {
            for index in sample.body.indices {
                for mask: UInt8 in [0xFF, 0x01, 0x80, 0x10] {
                    var body = sample.body
                    body[index] ^= mask
                    let decoded = Decoded.decode([body], sample.coding, limit: 1 << 20)
                    if Self.hasChecksum(sample), decoded.error == nil {
                        // Fields without a meaning for the content: gzip's time, level and system; what a skippable frame holds.
                        #expect(decoded.content == Data(sample.plain), "byte \(index)")
                    }
                    if index >= sample.body.count - 4, sample.coding.hasSuffix("gzip") || sample.coding == "zstd" {
                        #expect(decoded.error != nil, "byte \(index)")
                    }
                    let single = Decoded.decode(body.map { [$0] }, sample.coding, limit: 1 << 20)
                    #expect((single.error == nil) == (decoded.error == nil), "byte \(index), cut into single bytes")
                }
            }
        }

        @Test("Random bytes never trap", arguments: ["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate"])
        func random(coding: String) {
            var generator = SeededGenerator(state: 2)
            let heads: [[UInt8]] = [[], [0x1F, 0x8B, 8, 0], [0x78, 0x9C], [0x28, 0xB5, 0x2F, 0xFD], [0x53, 0x2A, 0x4D, 0x18]]
            for _ in 0..<TestDepth.choose(500, deep: 2_000) {
                let tail = (0..<Int.random(in: 0...60, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let body = (heads.randomElement(using: &generator) ?? []) + tail
                let decoded = Decoded.decode(body.cut(using: &generator), coding, limit: 1 << 16)
                #expect(decoded.content.count <= 1 << 16)
            }
        }

        @Test("A body that is not in its coding is an error that names the coding")
        func other() {
            for coding in ["gzip", "deflate", "br", "zstd", "X-Gzip"] {
                let decoded = Decoded.decode([Array("{\"this\": \"is JSON\"}".utf8)], coding)
                #expect(decoded.error == .failed(.cannotDecodeRawData, "the body is not in its Content-Encoding \"\(coding)\""))
            }
        }
    }
#endif
