import Foundation
import Testing

@testable import Firewheel

/// Expected values are those of zlib.
@Suite("Checksums of zlib and gzip")
struct ChecksumTests {
    private static let long = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) })

    private static let values: [(bytes: Data, adler: UInt32, crc: UInt32)] = [
        (Data(), 1, 0), (Data("hello".utf8), 0x062C_0215, 0x3610_A686), (Data("123456789".utf8), 0x091E_01DE, 0xCBF4_3926),
        (long, 0x6A10_942F, 0x0EAF_0153), (Data(repeating: 0xFF, count: 100_000), 0x149A_302C, 0x68C6_CEC4),
    ]

    private func sum(_ pieces: [some Sequence<UInt8>], _ checksum: some Checksum) -> UInt32 {
        var checksum = checksum
        for piece in pieces { Array(piece).withUnsafeBytes { checksum.add($0) } }
        return checksum.value
    }

    @Test("Adler-32 (RFC 1950 section 8.2) and CRC-32 (RFC 1952 section 8) of known bytes")
    func known() {
        for (bytes, adler, crc) in Self.values {
            #expect(sum([bytes], Adler32()) == adler)
            #expect(sum([bytes], CRC32()) == crc)
        }
    }

    @Test("Bytes that come in pieces have the same checksum")
    func pieces() {
        let bytes = Self.long.prefix(100)
        let (adler, crc) = (sum([bytes], Adler32()), sum([bytes], CRC32()))
        for cut in 0...bytes.count {
            #expect(sum([bytes.prefix(cut), bytes.dropFirst(cut)], Adler32()) == adler)
            #expect(sum([bytes.prefix(cut), bytes.dropFirst(cut)], CRC32()) == crc)
        }
        for size in [7, 4095, 5552] {
            let pieces = stride(from: 0, to: Self.long.count, by: size).map { Self.long.dropFirst($0).prefix(size) }
            #expect(sum(pieces, Adler32()) == sum([Self.long], Adler32()))
            #expect(sum(pieces, CRC32()) == sum([Self.long], CRC32()))
        }
    }
}
