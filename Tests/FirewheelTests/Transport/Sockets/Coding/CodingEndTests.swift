#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    @Suite("Ends of content codings", .timeLimit(.minutes(5)))
    struct CodingEndTests {
        private let plain = Data(CodingFixtures.plain)
        private let trailing = TransportError.failed(.cannotDecodeRawData, "there is data behind the end of the body's content coding")

        /// The results for a body that comes whole and in single bytes.
        private func both(_ body: [UInt8], _ coding: String) -> [Decoded] {
            [Decoded.decode([body], coding), Decoded.decode(body.map { [$0] }, coding)]
        }

        @Test("The members of a gzip body are one content (RFC 1952 section 2.2)")
        func members() {
            let empty: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            for decoded in both(empty + CodingFixtures.gzip + empty + CodingFixtures.gzip + empty, "gzip") {
                #expect(decoded.error == nil && decoded.content == plain + plain)
            }
        }

        @Test("A second gzip member that ends early is an error")
        func cutMember() {
            for count in 1..<CodingFixtures.gzip.count {
                let decoded = Decoded.decode([CodingFixtures.gzip + CodingFixtures.gzip.prefix(count)], "gzip")
                #expect(decoded.text == "the body ended before the end of its Content-Encoding \"gzip\"")
                #expect(decoded.content.starts(with: plain))
            }
        }

        @Test("Zero bytes behind gzip are padding, other bytes behind it are an error")
        func padding() {
            for decoded in both(CodingFixtures.gzip + [UInt8](repeating: 0, count: 1000), "gzip") {
                #expect(decoded.error == nil && decoded.content == plain)
            }
            for tail in [[1], [0, 1], [0x1E, 0x8B], Array("junkjunk".utf8), [0, 0] + CodingFixtures.gzip] as [[UInt8]] {
                for decoded in both(CodingFixtures.gzip + tail, "gzip") { #expect(decoded.error == trailing && decoded.content == plain) }
            }
            for decoded in both(CodingFixtures.gzip + [0x1F, 0x8C, 8, 0], "gzip") { #expect(decoded.code == .cannotDecodeRawData) }
            for decoded in both([0] + CodingFixtures.gzip, "gzip") { #expect(decoded.code == .cannotDecodeRawData) }
        }

        @Test("Data behind the end of deflate in zlib's format, br and zstd is an error")
        func trailingData() {
            for (coding, body) in [
                ("deflate", CodingFixtures.zlib), ("br", CodingFixtures.br), ("zstd", CodingFixtures.zstd),
                ("br, gzip", CodingFixtures.gzipOfBr),
            ] {
                for tail in [Array("junk".utf8), Array("j".utf8) + body] as [[UInt8]] {
                    for decoded in both(body + tail, coding) {
                        #expect(decoded.error == trailing && decoded.content == plain, "\(coding): \(String(describing: decoded.error))")
                    }
                }
            }
        }

        @Test("Up to four bytes behind raw deflate are dropped, as by libcurl, and more are an error")
        func rawChecksum() {
            for count in 0...4 {
                for decoded in both(CodingFixtures.raw + [UInt8](repeating: 7, count: count), "deflate") {
                    #expect(decoded.error == nil && decoded.content == plain)
                }
            }
            for decoded in both(CodingFixtures.raw + [1, 2, 3, 4, 5], "deflate") { #expect(decoded.error == trailing) }
        }

        @Test("zstd's formats before version 0.8, which libzstd has decoders for, are an error, however they are hidden")
        func legacyFrames() {
            for version in 0x22...0x27 as ClosedRange<UInt8> {
                let frame: [UInt8] = [version, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0]
                for start in [[], [0x28], [0x28, 0xB5], [0x28, 0xB5, 0x2F], [0x28, 0xB5, 0x2F, 0xFD], [0x50, 0x2A, 0x4D]] as [[UInt8]] {
                    for decoded in both(start + frame, "zstd") { #expect(decoded.error != nil, "\(start + frame)") }
                    for decoded in both(CodingFixtures.zstd + start + frame, "zstd") { #expect(decoded.error != nil, "\(start + frame)") }
                }
            }
        }

        @Test("A zstd window above 8 MiB is an error, however small the content is and wherever it is cut (RFC 9659)")
        func zstdWindow() {
            func frame(windowLog: UInt8) -> [UInt8] {
                // The content's size, less 256, in two bytes; the window; one stored block.
                let header = UInt32(plain.count) << 3 | 1
                return [0x28, 0xB5, 0x2F, 0xFD, 0x40, (windowLog - 10) << 3, UInt8(plain.count - 256), 0]
                    + [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), 0] + CodingFixtures.plain
            }
            for decoded in both(frame(windowLog: 23), "zstd") { #expect(decoded.error == nil && decoded.content == plain) }
            let body = frame(windowLog: 24)
            for cut in 0...body.count {
                let decoded = Decoded.decode([body[..<cut], body[cut...]], "zstd")
                #expect(decoded.text == "the zstd window of the body is larger than 8 MiB (RFC 9659)", "\(cut)")
            }
        }

        @Test("A br window above 16 MiB, which RFC 7932 does not have, is an error")
        func brWindow() {
            // The large-window form begins with these bits; the window's size follows in the next byte.
            for decoded in both([0x11, 30, 0x00, 0x00, 0x00, 0x00], "br") { #expect(decoded.code == .cannotDecodeRawData) }
        }
    }
#endif
