import Foundation
import Testing

@testable import Firewheel

@Suite("Compressing bodies", .timeLimit(.minutes(5)))
struct BodyCompressorTests {
    typealias Coding = DeflateRequestCompressor.Coding

    @Test("A body has the header and the trailer of its coding", arguments: [0, 5, 100_000])
    func framing(count: Int) throws {
        let body = Data(repeating: 7, count: count)
        var (adler, crc) = (Adler32(), CRC32())
        body.withUnsafeBytes { bytes in
            adler.add(bytes)
            crc.add(bytes)
        }
        // RFC 1950 section 2.2: CMF and FLG in front, Adler-32 behind, the most significant byte first.
        let zlib = try BodyCompressor.compress(body, .deflate)
        #expect(zlib.starts(with: [0x78, 0x5E]))
        #expect(zlib.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } == adler.value)
        // RFC 1952 section 2.3: no flags, no time, unknown system; CRC-32 and length behind, the least significant byte first.
        let gzip = try BodyCompressor.compress(body, .gzip)
        #expect(gzip.starts(with: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]))
        #expect(gzip.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } == UInt64(count) << 32 | UInt64(crc.value))
    }

    #if os(Linux)
        @Test("A small body is compressed to known bytes")
        func bytes() throws {
            let zlib: [UInt8] = [0x78, 0x5E, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15]
            #expect(try Array(BodyCompressor.compress(Data("hello".utf8), .deflate)) == zlib)
            let gzip: [UInt8] = [
                0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
            ]
            #expect(try Array(BodyCompressor.compress(Data("hello".utf8), .gzip)) == gzip)
        }

        @Test("Nothing compresses to a body that is whole")
        func empty() throws {
            #expect(try Array(BodyCompressor.compress(Data(), .deflate)) == [0x78, 0x5E, 3, 0, 0, 0, 0, 1])
            #expect(
                try Array(BodyCompressor.compress(Data(), .gzip))
                    == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        }

        @Test("The header comes with the first compressed bytes", arguments: Coding.allCases)
        func header(coding: Coding) throws {
            let compressor = try BodyCompressor(coding)
            var output = Data()
            for _ in 0..<10 { try compressor.compress(Data("held back".utf8), to: &output) }
            #expect(output.isEmpty)
            try compressor.finish(to: &output)
            #expect(output.starts(with: coding == .gzip ? [0x1F, 0x8B] : [0x78, 0x5E]))
        }

        private static let bodies: [[UInt8]] = {
            var generator = SeededGenerator(state: 1)
            return [
                [], [0], CodingFixtures.plain, Array(repeating: 0, count: 1_000_000),
                (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) },
                (0..<300_000).map { _ in UInt8.random(in: 97...100, using: &generator) },
            ]
        }()

        private func compressed(_ pieces: [some Sequence<UInt8>], _ coding: Coding) throws -> Data {
            let compressor = try BodyCompressor(coding)
            var output = Data()
            for piece in pieces { try compressor.compress(Data(Array(piece)), to: &output) }
            try compressor.finish(to: &output)
            return output
        }

        @Test("The library's own decoder restores what was compressed", arguments: Coding.allCases)
        func roundTrip(coding: Coding) throws {
            for body in Self.bodies {
                let decoded = Decoded.decode([try BodyCompressor.compress(Data(body), coding)], coding.rawValue)
                #expect(decoded.error == nil && decoded.content == Data(body), "\(body.count) bytes")
            }
        }

        @Test("The cut of the input does not change what is compressed", arguments: Coding.allCases)
        func pieces(coding: Coding) throws {
            let text = CodingFixtures.plain
            let whole = try BodyCompressor.compress(Data(text), coding)
            for cut in 0...text.count {
                #expect(try compressed([text[..<cut], text[cut...]], coding) == whole)
            }
            var generator = SeededGenerator(state: 2)
            for body in Self.bodies.suffix(2) {
                let pieces = Array(body.prefix(50_000)).cut(using: &generator)
                let decoded = Decoded.decode([try compressed(pieces, coding)], coding.rawValue)
                #expect(decoded.error == nil && decoded.content == Data(body.prefix(50_000)))
            }
        }

        // Kept, because a table is never freed.
        private static let missing = CodingLibraries(zlib: "libnothing.so.7").zlib

        @Test("Without zlib the error names the library and its package")
        func missingLibrary() {
            let error = #expect(throws: CompressionFailure.self) { try Deflater(library: Self.missing) }
            let start = "the body cannot be compressed: libnothing.so.7 (package zlib1g) could not be loaded: "
            #expect(error?.description.hasPrefix(start) == true, "\(String(describing: error))")
            #expect(Deflater.obstacle == nil)
        }
    #endif
}
