import Foundation

/// Measures a binary property list as Foundation's objects, in which every reference to an object is a copy of it.
///
/// The format lets objects refer to one object many times, and overlap, so a body of some kilobytes can stand for more than any memory
/// holds. What is malformed is left to Foundation.
struct BinaryPropertyList {
    private let bytes: UnsafeRawBufferPointer
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let top: Int
    /// Where the table of offsets begins, and the objects end.
    private let table: Int

    /// Measures data that is a binary property list, and accepts other data.
    ///
    /// - Throws: A `DecodingError`, if the objects take more than 64 MiB and 128 bytes for each byte of the data, or are nested too deeply.
    static func check(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            guard let list = BinaryPropertyList(bytes) else { return }
            var walk = Walk(list: list, limit: 64 << 20 + 128 * bytes.count)
            _ = try walk.extent(of: list.top, depth: 0)
        }
    }

    /// nil without the header and the trailer of the format.
    private init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 40, bytes.starts(with: "bplist0".utf8) else { return nil }
        let trailer = bytes.count - 32
        let fields = [8, 16, 24].map { Int(exactly: Self.number(bytes, at: trailer + $0, size: 8)) }
        guard let count = fields[0], let top = fields[1], let table = fields[2] else { return nil }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        let size = count.multipliedReportingOverflow(by: offsetSize)
        guard offsetSize > 0, referenceSize > 0, top < count, table > 8, table < trailer, !size.overflow,
            size.partialValue == trailer - table
        else { return nil }
        self.bytes = bytes
        self.count = count
        self.top = top
        self.table = table
    }

    // MARK: Objects

    /// What an object holds: bytes, or references to other objects.
    private enum Content {
        case bytes(Int)
        case references(start: Int, count: Int)
    }

    /// Where an object begins; nil if it is not among the objects.
    private func offset(of reference: Int) -> Int? {
        guard reference < count else { return nil }
        let offset = Int(exactly: Self.number(bytes, at: table + reference * offsetSize, size: offsetSize))
        return offset.flatMap { (8..<table).contains($0) ? $0 : nil }
    }

    /// The first half of the byte with which a set begins.
    private static let set: UInt8 = 12

    /// The byte with which a date begins. A double follows.
    private static let date: UInt8 = 0x33

    /// Whether an object is a date that is no number.
    private func isImpossibleDate(at offset: Int) -> Bool {
        guard bytes[offset] == Self.date, table - offset > 8 else { return false }
        return Double(bitPattern: Self.number(bytes, at: offset + 1, size: 8)).isNaN
    }

    private func reference(at index: Int) -> Int? { Int(exactly: Self.number(bytes, at: index, size: referenceSize)) }

    /// nil if the object does not end in front of the table.
    private func content(at offset: Int) -> Content? {
        let kind = bytes[offset] >> 4
        // Data, text in ASCII and in UTF-16, array, dictionary.
        guard [4, 5, 6, 10, 13].contains(kind) else { return .bytes(0) }
        var (start, length) = (offset + 1, Int(bytes[offset] & 0x0F))
        if length == 15 {
            // An integer object follows, which is the length.
            guard start < table, bytes[start] >> 4 == 1 else { return nil }
            let size = 1 << Int(bytes[start] & 0x0F)
            guard size < table - start, let long = Int(exactly: Self.number(bytes, at: start + 1, size: size)) else { return nil }
            (start, length) = (start + 1 + size, long)
        }
        let space = table - start
        switch kind {
        case 4, 5: return length <= space ? .bytes(length) : nil
        case 6: return length <= space / 2 ? .bytes(length * 2) : nil
        case 13: return length <= space / referenceSize / 2 ? .references(start: start, count: length * 2) : nil
        default: return length <= space / referenceSize ? .references(start: start, count: length) : nil
        }
    }

    /// A big-endian number. Like Foundation, it ignores all but the last eight bytes.
    private static func number(_ bytes: UnsafeRawBufferPointer, at index: Int, size: Int) -> UInt64 {
        var number: UInt64 = 0
        for place in (index + max(0, size - 8))..<(index + size) { number = number << 8 | UInt64(bytes[place]) }
        return number
    }

    // MARK: The walk

    /// An object with all that it refers to.
    private struct Extent {
        var size: Int
        /// The levels of arrays and dictionaries.
        var height = 0
    }

    private struct Walk {
        let list: BinaryPropertyList
        let limit: Int
        /// Those of arrays and dictionaries, by the objects' offsets.
        private var extents: [Int: Extent] = [:]
        private var visitedReferences = 0

        init(list: BinaryPropertyList, limit: Int) {
            self.list = list
            self.limit = limit
        }

        private static let excess = PropertyListBody.refusal("its objects are shared so often that they would take too much memory")
        /// About what a value takes in Foundation's objects, apart from text and data.
        private static let valueSize = 64

        mutating func extent(of reference: Int, depth: Int) throws -> Extent {
            guard let offset = list.offset(of: reference) else { return Extent(size: 0) }
            if let extent = extents[offset] {
                guard depth + extent.height <= PropertyListQuirk.maximumDepth else { throw PropertyListQuirk.excess }
                return extent
            }
            guard list.bytes[offset] >> 4 != BinaryPropertyList.set else { throw PropertyListQuirk.set }
            guard !list.isImpossibleDate(at: offset) else { throw PropertyListQuirk.date }
            switch list.content(at: offset) {
            case nil: return Extent(size: 0)
            case .bytes(let count):
                guard count <= limit else { throw Self.excess }
                return Extent(size: Self.valueSize + count)
            case .references(let start, let count):
                guard depth < PropertyListQuirk.maximumDepth else { throw PropertyListQuirk.excess }
                visitedReferences += count
                guard visitedReferences <= limit / Self.valueSize else { throw Self.excess }
                // A cycle ends here, and in Foundation with an error.
                extents[offset] = Extent(size: 0)
                var extent = Extent(size: Self.valueSize)
                for index in 0..<count {
                    guard let next = list.reference(at: start + index * list.referenceSize) else { break }
                    let inner = try self.extent(of: next, depth: depth + 1)
                    extent.size += inner.size
                    extent.height = max(extent.height, inner.height)
                    guard extent.size <= limit else { throw Self.excess }
                }
                extent.height += 1
                extents[offset] = extent
                return extent
            }
        }
    }
}
