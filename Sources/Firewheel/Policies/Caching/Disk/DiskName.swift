/// The name of an entry's files: a hash of its URL, by which it is found, and a random number, so that several responses of one URL, and
/// several processes, do not collide.
struct DiskName: Sendable, Hashable {
    /// A hash of a URL. It need not be a cryptographic one: the file has the whole URL, which is compared.
    struct Key: Sendable, Hashable {
        private let high: UInt64
        private let low: UInt64

        /// FNV-1a with 64 bits, from two starting values.
        init(_ url: String) {
            var (high, low): (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142)
            for byte in url.utf8 {
                high = (high ^ UInt64(byte)) &* 0x100_0000_01B3
                low = (low ^ UInt64(byte) &+ 0x9E) &* 0x100_0000_01B3
            }
            // The low bits of a product depend on few bits of what was multiplied.
            (self.high, self.low) = (high ^ high >> 29, low ^ low >> 31)
        }

        fileprivate init(high: UInt64, low: UInt64) {
            (self.high, self.low) = (high, low)
        }

        fileprivate var text: String { DiskName.digits(high) + DiskName.digits(low) }

        /// The folder of its files, 0 to 255.
        var shard: Int { Int(low & 0xFF) }
    }

    let key: Key
    private let number: UInt64

    /// A new name.
    init(of key: Key) {
        self.key = key
        number = UInt64.random(in: 0 ... .max)
    }

    /// The name and the suffix of a file; nil if it is not one of ours.
    static func parse(_ file: UnsafeRawBufferPointer) -> (name: DiskName, suffix: String)? {
        guard file.count > 50, file[32] == UInt8(ascii: "-"), file[49] == UInt8(ascii: "."),
            let high = value(file[0..<16]), let low = value(file[16..<32]), let number = value(file[33..<49])
        else { return nil }
        return (DiskName(key: Key(high: high, low: low), number: number), String(decoding: file[50...], as: UTF8.self))
    }

    private init(key: Key, number: UInt64) {
        (self.key, self.number) = (key, number)
    }

    var text: String { "\(key.text)-\(Self.digits(number))" }

    private static func digits(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }

    /// The value of 16 lowercase digits.
    private static func value(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case 0x30...0x39: value = value << 4 | UInt64(digit - 0x30)
            case 0x61...0x66: value = value << 4 | UInt64(digit - 0x61 + 10)
            default: return nil
            }
        }
        return value
    }
}
