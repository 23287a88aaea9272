#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    @Suite("Decoder of content codings", .timeLimit(.minutes(5)))
    struct ContentDecoderTests {
        @Test("A body is decoded the same wherever it is cut, down to single bytes", arguments: CodingFixtures.all)
        func cuts(sample: Sample) {
            let body = sample.body
            let plain = Data(sample.plain)
            for cut in 0...body.count {
                let decoded = Decoded.decode([body[..<cut], body[cut...]], sample.coding)
                #expect(decoded.error == nil && decoded.content == plain, "cut at \(cut): \(String(describing: decoded.error))")
            }
            let single = Decoded.decode(body.map { [$0] }, sample.coding)
            #expect(single.error == nil && single.content == plain)
            var generator = SeededGenerator(state: 1)
            for _ in 0..<200 {
                let decoded = Decoded.decode(body.cut(using: &generator), sample.coding, room: Int.random(in: 1...100, using: &generator))
                #expect(decoded.error == nil && decoded.content == plain)
            }
        }

        @Test("A body is decoded into as little room as there is, and a call writes no more", arguments: CodingFixtures.all)
        func room(sample: Sample) {
            for room in [1, 2, 3, 7, 100, 299, 300, 301] {
                let decoded = Decoded.decode([sample.body], sample.coding, room: room)
                #expect(decoded.error == nil && decoded.content == Data(sample.plain))
                #expect(decoded.largestCall <= room)
            }
        }

        @Test(
            "A body that ends early is an error at every byte but the last, however much of it was decoded", arguments: CodingFixtures.all)
        func early(sample: Sample) {
            // A body of several members or frames is whole behind each of them.
            let isWholeAt = Set(
                sample.plain.count == CodingFixtures.plain.count
                    ? [] : sample.coding == "x-gzip" ? [CodingFixtures.gzip.count] : Self.frameEnds)
            for count in 1..<sample.body.count where !isWholeAt.contains(count) {
                let decoded = Decoded.decode([sample.body.prefix(count)], sample.coding)
                #expect(decoded.code == .cannotDecodeRawData, "\(count) bytes")
                #expect(decoded.text?.hasPrefix("the body ended before the end of its Content-Encoding \"") == true, "\(count) bytes")
                #expect(Data(sample.plain).starts(with: decoded.content))
            }
        }

        private static let frameEnds: [Int] = {
            let skippable = CodingFixtures.skippable.count
            let frame = CodingFixtures.zstd.count
            return [skippable, skippable + frame, skippable + frame + skippable]
        }()

        @Test("A body without a byte is empty in every coding")
        func empty() {
            for coding in ["gzip", "deflate", "br", "zstd", "br, gzip", "gzip, gzip, gzip, gzip, gzip, gzip"] {
                for pieces in [[], [[]], [[], []]] as [[[UInt8]]] {
                    #expect(Decoded.decode(pieces, coding) == Decoded(calls: pieces.count))
                }
            }
        }

        @Test("A whole body of no content is empty in every coding")
        func emptyContent() {
            let bodies: [(String, [UInt8])] = [
                ("gzip", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]), ("deflate", [0x78, 0x9C, 3, 0, 0, 0, 0, 1]),
                ("deflate", [3, 0]), ("br", [0x3B]), ("br", [6]), ("zstd", [0x28, 0xB5, 0x2F, 0xFD, 0x20, 0, 1, 0, 0]),
                ("zstd", CodingFixtures.skippable),
            ]
            for (coding, body) in bodies {
                for pieces in [[body], body.map { [$0] }] {
                    let decoded = Decoded.decode(pieces, coding)
                    #expect(decoded.error == nil && decoded.content.isEmpty, "\(coding): \(String(describing: decoded.error))")
                }
            }
        }

        @Test("Nothing in gzip is an empty body in the coding below it too")
        func emptyBelow() {
            let empty: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            for coding in ["br, gzip", "zstd, deflate, gzip"] {
                let decoded = Decoded.decode([empty], coding)
                #expect(decoded.error == nil && decoded.content.isEmpty)
            }
        }

        @Test("Raw deflate is told from zlib's format by two bytes, not by the first alone")
        func rawLikeZlib() {
            // A stored block with padding that is not zero, and an empty last one.
            let count = UInt16(CodingFixtures.plain.count)
            let (low, high) = (UInt8(count & 0xFF), UInt8(count >> 8))
            let body = [0x08, low, high, ~low, ~high] + CodingFixtures.plain + [3, 0]
            #expect(Decoded.decode([body], "deflate").content == Data(CodingFixtures.plain))
        }

        @Test("Names of codings have any case, may stand in several fields, and identity is none")
        func names() {
            let plain = Data(CodingFixtures.plain)
            for coding in ["GZip", " gzip\t", "identity, gzip", "gzip, Identity,, none", "X-GZIP"] {
                #expect(Decoded.decode([CodingFixtures.gzip], coding).content == plain, "\(coding)")
            }
            #expect(Decoded.decode([CodingFixtures.gzipOfBr], "br", "gzip").content == plain)
            for coding in ["identity", "", " , ", "none"] {
                #expect(ContentDecoder(contentEncoding: [coding]) == nil, "\(coding)")
            }
            #expect(ContentDecoder(contentEncoding: []) == nil)
        }

        @Test(
            "Nothing is undone of a body with an unknown coding, wherever that stands (Fetch)",
            arguments: ["rot13", "gzip, rot13", "rot13, gzip", "ROT13", "aws-chunked", "utf-8", "binary", "8bit", "compress", "gzip aws"])
        func unknown(coding: String) {
            #expect(ContentDecoder(contentEncoding: [coding]) == nil)
            #expect(ContentDecoder(contentEncoding: ["gzip", coding]) == nil)
        }

        @Test("Five codings are undone, and six are an error")
        func five() {
            // Stored deflate around stored deflate.
            var body = CodingFixtures.plain
            for _ in 0..<5 {
                let (low, high) = (UInt8(body.count & 0xFF), UInt8(body.count >> 8))
                body = [1, low, high, ~low, ~high] + body
            }
            let five = ["deflate, deflate", "identity, deflate", "deflate, deflate"].joined(separator: ",")
            #expect(Decoded.decode([body], five).content == Data(CodingFixtures.plain))
            #expect(Decoded.decode(body.map { [$0] }, five).content == Data(CodingFixtures.plain))
            let six = Decoded.decode([body], five, "deflate")
            #expect(six.error == .failed(.cannotDecodeContentData, "a Content-Encoding of more than 5 codings is not supported"))
        }

        @Test("The limit counts decoded bytes exactly", arguments: CodingFixtures.all)
        func limit(sample: Sample) {
            let count = sample.plain.count
            for pieces in [[sample.body], sample.body.map { [$0] }] {
                for room in [7, 1000] {
                    #expect(Decoded.decode(pieces, sample.coding, limit: count, room: room).error == nil)
                    for limit in [0, 1, count - 1] {
                        let over = Decoded.decode(pieces, sample.coding, limit: limit, room: room)
                        #expect(over.error == .bodyTooLarge)
                        #expect(over.content == Data(sample.plain.prefix(limit)))
                    }
                }
            }
        }

        @Test("A failure is reported again by every later call")
        func again() throws {
            let decoder = try #require(ContentDecoder(contentEncoding: ["gzip"]))
            let junk = Array("this is no gzip".utf8)
            for _ in 0..<3 {
                #expect(throws: TransportError.failed(.cannotDecodeRawData, "the body is not in its Content-Encoding \"gzip\"")) {
                    _ = try decoder.decode(junk[...], room: 100) { _ in }
                }
                #expect(throws: TransportError.self) { try decoder.finish() }
            }
        }

        @Test("What was decoded in front of a failure is handed over")
        func beforeFailure() {
            for (coding, body) in [("gzip", CodingFixtures.gzip), ("br", CodingFixtures.br), ("zstd", CodingFixtures.zstd)] {
                let decoded = Decoded.decode([body + [0xAA, 0xAA, 0xAA, 0xAA, 0xAA]], coding)
                #expect(decoded.error == .failed(.cannotDecodeRawData, "there is data behind the end of the body's content coding"))
                #expect(decoded.content == Data(CodingFixtures.plain), "\(coding)")
            }
        }
    }
#endif
