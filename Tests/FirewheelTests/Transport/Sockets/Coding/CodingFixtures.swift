#if os(Linux)
    import Foundation

    @testable import Firewheel

    /// A text and its encoded forms.
    enum CodingFixtures {
        static let plain = Array(
            """
            down the hill hoop \n\nhoop \nfirewheel hill hill \nhill \nthe hoop hoop hoop firewheel rolling rolling hoop \
            \nfirewheel \ndown firewheel \nrolling the the hoop rolling down hoop \nfirewheel hill rolling \n\nhill the \
            \nrolling the hoop hill hill hill firewheel down firewheel rolling down hill hoop rolling \n\ndow
            """.utf8)

        static let gzip = bytes(
            "H4sIAAAAAAACA21QQQ6AMAi78woeN5QlZJjFxO8rwzG3eCkBStuQ9Cp4MiFnEWTVAwG8bLnSxUTy7gzAsR0YacBgVxXJZY+6qkEyz0/fiaYayn3Y"
                + "yL+BOgM8lF1OUp4tojcYEkuI2S5+MTyexQ2RSvm/LAEAAA==")
        /// deflate as RFC 9110 has it.
        static let zlib = bytes(
            "eNptUEEOgDAIu/MKHjeUJWSYxcTvK8Mxt3gpAUrbkPQqeDIhZxFk1QMBvGy50sVE8u4MwLEdGGnAYFcVyWWPuqpBMs9P34mmGsp92Mi/gToDPJRd"
                + "TlKeLaI3GBJLiNkufjE8nsUNpflrQA==")
        /// deflate without a header.
        static let raw = bytes(
            "bVBBDoAwCLvzCh43lCVkmMXE7yvDMbd4KQFK25D0KngyIWcRZNUDAbxsudLFRPLuDMCxHRhpwGBXFcllj7qqQTLPT9+JphrKfdjIv4E6AzyUXU5S"
                + "ni2iNxgSS4jZLn4xPJ7FDQ==")
        static let br = bytes(
            "GysBIJwJNk6odze8VDBDa7Y3ODmV9pYgZWzwvTvQAP3v97aK8iiS2yXSMg7KG6NIFJF1e5JIbOt37Iayc7fIGnlIseZuJi1PAd0Cu7A6ld9mKxxA"
                + "+B814TR5GoYGqUxHoRgdLuID10Y3")
        /// One frame that tells its size, with a checksum.
        static let zstd = bytes(
            "KLUv/WQsAE0DAFLDCQzQPRBO0lnCXQCkMsadMmeAQrvLnTOcPW7mPWsEEJr5uLPHnAM7JRuggCss7WwGEBCBM4g959gPN9lyxNIAAmGDK5FysIlp"
                + "FBYoUpgiQjpKdmBGTMPdFY3wLmPe2PcczUZEWdYwUx5yhqI=")
        /// One frame of two blocks that does not tell its size, with a checksum.
        static let zstdInBlocks = bytes(
            "KLUv/QRoPAIAggMKDNA9EE7SWcJdAKQyxvmYc8wZCu0ud85w9riZ96wRQGjm484ecw7slAsATBGYMbjxugijsFIsqg3uBk+NSRkXSv41FCZVAQAw"
                + "b3AKZG93D4DQN2fsh93kkBEmjQChwKZYieEEewExbyxaUAyFKjgoQgoecoai")
        /// gzip of br.
        static let gzipOfBr = bytes(
            "H4sIAAAAAAACAwFpAJb/GysBIJwJNk6odze8VDBDa7Y3ODmV9pYgZWzwvTvQAP3v97aK8iiS2yXSMg7KG6NIFJF1e5JIbOt37Iayc7fIGnlIseZu"
                + "Ji1PAd0Cu7A6ld9mKxxA+B814TR5GoYGqUxHoRgdLuID10Y32cAPrGkAAAA=")

        /// gzip of br of 1 GiB of zeros.
        static let gzipOfBrBomb = bytes(
            "H4sIAAAAAAACAzv9/789gwrDo40ORe////j/n72BxUFGrOHdX/n///8zTGDoOMx0Ye//x///yzMIMRRGMOz6Xv/n/39mByYFPm6H7//6//+vZ/Bg"
                + "OJLI+OLe/4////MzcDZY6DDc/W3/7/9/RgVGgXbWBdX/j0Mt2cBQMmrJqCWjloxaMmrJ8LTEHACPu9ZLUQYAAA==")
        /// gzip of gzip of 1 MiB of zeros.
        static let gzipOfGzipOfZeros = bytes("H4sIAAAAAAACA5Pv5mAAASbmtwcNGYGMQwu++udyxC9gGAWjYBSMOGDHLPPKYjkDgwADACPwtJAbBAAA")

        static let all: [Sample] = [
            Sample("gzip", gzip), Sample("x-gzip", gzip + gzip, repeated: 2), Sample("deflate", zlib),
            Sample("deflate", raw, note: "raw"),
            Sample("br", br), Sample("zstd", zstd), Sample("zstd", zstdInBlocks, note: "in blocks"),
            Sample("zstd", skippable + zstd + skippable + zstdInBlocks, repeated: 2, note: "in frames"), Sample("br, gzip", gzipOfBr),
        ]

        /// A skippable frame (RFC 8878 section 3.1.2).
        static let skippable: [UInt8] = [0x53, 0x2A, 0x4D, 0x18, 5, 0, 0, 0] + Array("hello".utf8)

        /// A zstd frame of stored blocks of the same byte (RFC 8878 section 3.1.1): `blocks` times 128 KiB of zeros.
        static func zstdZeros(blocks: Int) -> [UInt8] {
            var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 7 << 3]
            for block in 1...blocks {
                let header = UInt32(131_072) << 3 | 1 << 1 | (block == blocks ? 1 : 0)
                frame += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16 & 0xFF), 0]
            }
            return frame
        }

        private static func bytes(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }
    }

    /// An encoded body.
    struct Sample: Sendable, CustomStringConvertible {
        let coding: String
        let body: [UInt8]
        let plain: [UInt8]
        let description: String

        init(_ coding: String, _ body: [UInt8], repeated: Int = 1, note: String? = nil) {
            self.coding = coding
            self.body = body
            plain = Array(repeatElement(CodingFixtures.plain, count: repeated).joined())
            description = note.map { "\(coding) \($0)" } ?? coding
        }
    }

    /// What a decoder makes of a body.
    struct Decoded: Equatable {
        var content = Data()
        var error: TransportError?
        /// The size of the largest piece.
        var largestPiece = 0
        /// The most bytes of one call.
        var largestCall = 0
        var calls = 0

        /// The code and the text of the error.
        var code: URLError.Code? { if case .failed(let code, _) = error { code } else { nil } }
        var text: String? { if case .failed(_, let text) = error { text } else { nil } }

        /// Decodes a body that comes in these pieces.
        static func decode(
            _ pieces: [some Sequence<UInt8>], _ coding: String..., limit: Int? = nil, room: Int = 1 << 20, keeps: Bool = true,
            libraries: CodingLibraries = .system
        ) -> Decoded {
            var decoded = Decoded()
            guard let decoder = ContentDecoder(contentEncoding: coding, limit: limit, libraries: libraries) else {
                decoded.content = Data(pieces.joined())
                return decoded
            }
            do {
                for piece in pieces { try decoded.decode(Array(piece), with: decoder, room: room, keeps: keeps) }
                try decoder.finish()
            } catch {
                decoded.error = error as? TransportError
            }
            return decoded
        }

        private mutating func decode(_ piece: [UInt8], with decoder: ContentDecoder, room: Int, keeps: Bool) throws {
            var used = 0
            var isDrained = false
            while !isDrained {
                calls += 1
                let progress = try decoder.decode(piece[used...], room: room) { data in
                    if keeps { content += data }
                    largestPiece = max(largestPiece, data.count)
                }
                used += progress.consumed
                isDrained = progress.isDrained
                largestCall = max(largestCall, progress.written)
            }
        }
    }

    extension ContentDecoder {
        func decode(_ bytes: ArraySlice<UInt8>, room: Int, into receive: (Data) -> Void) throws -> Progress {
            try bytes.withUnsafeBytes { bytes in try decode(bytes, room: room, into: receive) }
        }
    }

    extension Array {
        /// The array cut at random places.
        func cut(using generator: inout some RandomNumberGenerator) -> [ArraySlice<Element>] {
            var pieces: [ArraySlice<Element>] = []
            var rest = self[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...40, using: &generator))
                pieces.append(piece)
                rest = rest.dropFirst(piece.count)
            }
            return pieces
        }
    }
#endif
