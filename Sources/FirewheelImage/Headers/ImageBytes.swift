/// Numbers at positions of an image's data. Those beyond its end are nil.
///
/// Valid only while the pointer is.
struct ImageBytes {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var count: Int { bytes.count }

    func byte(at offset: Int) -> Int? {
        offset >= 0 && offset < bytes.count ? Int(bytes[offset]) : nil
    }

    /// A number with the most significant byte first.
    func big(_ size: Int, at offset: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        return bytes[offset..<offset + size].reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number with the least significant byte first.
    func little(_ size: Int, at offset: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        return bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Whether these bytes are at the offset.
    func has(_ content: [UInt8], at offset: Int = 0) -> Bool {
        offset >= 0 && offset <= bytes.count - content.count && bytes[offset..<offset + content.count].elementsEqual(content)
    }

    /// Whether this ASCII text is at the offset.
    func has(_ content: StaticString, at offset: Int = 0) -> Bool {
        content.withUTF8Buffer { has(Array($0), at: offset) }
    }

    /// The first position of a byte at the offset or behind it.
    func first(_ byte: UInt8, from offset: Int) -> Int? {
        guard offset >= 0, offset < bytes.count else { return nil }
        return bytes[offset...].firstIndex(of: byte)
    }

    /// A part of the data, or as much of it as there is.
    func part(from offset: Int, count: Int) -> ImageBytes {
        let start = min(max(offset, 0), bytes.count)
        return ImageBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<start + min(max(count, 0), bytes.count - start)]))
    }
}
