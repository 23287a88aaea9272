import Foundation

/// Foundation for Linux up to Swift 6.3 (`CFPropertyList.c`) limits the depth of arrays and dictionaries, but not that of `<plist>`
/// elements in each other, and overflows the stack. It traps on sets in binary lists, and on the description of a date that is not a
/// number. `PropertyListBoundTests` shows that each is an error.
enum PropertyListQuirk {
    /// The maximum depth of Foundation's reader.
    static let maximumDepth = 512

    static let excess = PropertyListBody.refusal("more than \(maximumDepth) nested arrays and dictionaries")

    static let set = PropertyListBody.refusal("it has a set, which is not a property list's type")

    static let date = PropertyListBody.refusal("it has a date that is not a number")

    /// Refuses a body with more `<plist` than that reader's depth, wherever they are.
    ///
    /// - Throws: A `DecodingError`; also for an encoding in which they could not be found.
    static func check(_ data: Data) throws {
        if let name = declaredEncoding(data) {
            guard let encoding = Charset.named(name), encoding != .iso2022JP else {
                throw PropertyListBody.refusal("the encoding \(name.prefix(40)) is not supported")
            }
        }
        guard countOfElements(data) <= maximumDepth else { throw PropertyListBody.refusal("more than \(maximumDepth) plist elements") }
    }

    /// How many times `<plist` is in the data, in UTF-8, UTF-16 or UTF-32: at most one more than the maximum.
    private static func countOfElements(_ data: Data) -> Int {
        let patterns = [0, 1, 3].map { zeros in Array("<plist".utf8.flatMap { [$0] + [UInt8](repeating: 0, count: zeros) }.dropLast(zeros))
        }
        return data.withUnsafeBytes { bytes in
            var (count, index) = (0, 0)
            while count <= maximumDepth, let base = bytes.baseAddress, index < bytes.count,
                let found = memchr(base + index, Int32(UInt8(ascii: "<")), bytes.count - index)
            {
                index = UnsafeRawPointer(found) - base
                for pattern in patterns where bytes.count - index >= pattern.count && memcmp(found, pattern, pattern.count) == 0 {
                    count += 1
                }
                index += 1
            }
            return count
        }
    }

    /// The encoding of an XML declaration, found as Foundation finds it; nil without one.
    private static func declaredEncoding(_ data: Data) -> String? {
        guard data.starts(with: Array("<?xml".utf8)) else { return nil }
        let declaration = data.dropFirst(5).prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: ">") }
        guard let end = declaration.range(of: Data("encoding=".utf8))?.upperBound, end < data.endIndex,
            [UInt8(ascii: "'"), UInt8(ascii: "\"")].contains(data[end])
        else { return nil }
        let name = data[(end + 1)...]
        return name.firstIndex(of: data[end]).map { String(decoding: name[..<$0], as: UTF8.self) }
    }
}
