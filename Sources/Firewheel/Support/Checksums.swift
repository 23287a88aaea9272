/// A checksum of bytes that come in pieces.
protocol Checksum {
    var value: UInt32 { get }
    mutating func add(_ bytes: UnsafeRawBufferPointer)
}

/// The checksum of the zlib format (RFC 1950 section 8.2).
struct Adler32: Checksum {
    /// The most bytes whose sums fit into 32 bits without a division.
    private static let run = 5552
    private static let base: UInt32 = 65_521

    private var low: UInt32 = 1
    private var high: UInt32 = 0

    var value: UInt32 { high << 16 | low }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        var (low, high, index) = (low, high, 0)
        while index < bytes.count {
            let end = min(index + Self.run, bytes.count)
            while index < end {
                low &+= UInt32(start[index])
                high &+= low
                index &+= 1
            }
            low %= Self.base
            high %= Self.base
        }
        (self.low, self.high) = (low, high)
    }
}

/// The checksum of gzip (RFC 1952 section 8), eight bytes at a time.
struct CRC32: Checksum {
    /// 8 tables of 256 entries: table n is for a byte that n others follow.
    private static let tables: [UInt32] = {
        var tables: [UInt32] = []
        for byte in UInt32(0)..<256 {
            var sum = byte
            for _ in 0..<8 {
                let isOdd = sum & 1 == 1
                sum >>= 1
                if isOdd { sum ^= 0xEDB8_8320 }
            }
            tables.append(sum)
        }
        for index in 256..<2048 {
            let before = tables[index - 256]
            tables.append(before >> 8 ^ tables[Int(before & 0xFF)])
        }
        return tables
    }()

    private var register = UInt32.max

    var value: UInt32 { ~register }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        register = Self.tables.withUnsafeBufferPointer { tables in
            guard let table = tables.baseAddress else { return register }
            var (sum, index) = (register, 0)
            while bytes.count - index >= 8 {
                var word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ UInt64(sum)
                sum = 0
                var place = 7 * 256
                while place >= 0 {
                    sum ^= table[place &+ Int(truncatingIfNeeded: word & 0xFF)]
                    word >>= 8
                    place &-= 256
                }
                index &+= 8
            }
            while index < bytes.count {
                sum = sum >> 8 ^ table[Int(truncatingIfNeeded: (sum ^ UInt32(start[index])) & 0xFF)]
                index &+= 1
            }
            return sum
        }
    }
}
