import Foundation

/// Bodies for the cases.
enum ConformanceData {
    /// Bytes with a prime period, so that lost and repeated parts are noticed.
    static func pattern(_ count: Int) -> Data {
        var data = Data(capacity: count + block.count)
        while data.count < count { data.append(block) }
        return data.prefix(count)
    }

    private static let block: Data = {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return Data(
            (0..<65_521).map { _ in
                // xorshift64
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return UInt8(truncatingIfNeeded: state)
            })
    }()

    /// The text "hello, hello, … " of 1,200 bytes, whole and in gzip.
    static let plain = Data(String(repeating: "hello, ", count: 172).utf8.prefix(1_200))
    static let gzipped = gzip(plain)
    /// gzip (RFC 1952) around stored blocks (RFC 1951 section 3.2.4): nothing is compressed, so that no library is needed to make it.
    static func gzip(_ data: Data) -> Data {
        var out = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        var rest = data[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            out.append(rest.isEmpty ? 1 : 0)
            append(UInt16(block.count), to: &out)
            append(~UInt16(block.count), to: &out)
            out.append(block)
        } while !rest.isEmpty
        append(crc32(data), to: &out)
        append(UInt32(truncatingIfNeeded: data.count), to: &out)
        return out
    }

    /// A small gzip stream of 1 + 258 * `runs` zeros: one literal, and back references (RFC 1951 sections 3.2.5 and 3.2.6). Its checksum is
    /// wrong, which a decoder that stops in time does not reach.
    static func bomb(runs: Int) -> Data {
        var bits: [Bool] = []
        // Codes are packed starting with their most significant bit.
        func code(_ value: Int, _ length: Int) { for place in (0..<length).reversed() { bits.append(value >> place & 1 == 1) } }
        // The final block with fixed codes; its header is packed starting with the least significant bit.
        bits += [true, true, false]
        code(0b0011_0000, 8)
        for _ in 0..<runs {
            code(0b1100_0101, 8)
            code(0, 5)
        }
        code(0, 7)
        var out = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        for start in stride(from: 0, to: bits.count, by: 8) {
            out.append(bits[start..<min(start + 8, bits.count)].enumerated().reduce(0) { $1.element ? $0 | 1 << UInt8($1.offset) : $0 })
        }
        return out + Data(count: 8)
    }

    private static func append(_ value: some FixedWidthInteger, to data: inout Data) {
        withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
    }

    private static func crc32(_ data: Data) -> UInt32 {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in data {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        return ~value
    }
}
