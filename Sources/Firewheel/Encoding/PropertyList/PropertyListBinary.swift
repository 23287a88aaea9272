import Foundation

/// Writes a property list in Apple's binary format, version 00: an object table, an offset table, and a trailer. The format is described in
/// CFBinaryPList.c of CoreFoundation.
struct PropertyListBinary {
    private enum Object {
        /// The bytes of the value.
        case value([UInt8])
        /// The marker of the container's kind, its element count, and the numbers of its objects.
        case container(marker: UInt8, count: Int, members: [Int])
    }

    private var objects: [Object] = []

    static func data(of root: PropertyListNode) -> Data {
        var writer = PropertyListBinary()
        _ = writer.add(root)
        return writer.data
    }

    /// - Returns: The object's number.
    private mutating func add(_ node: PropertyListNode) -> Int {
        switch node.content {
        case .array(let elements):
            return addContainer(marker: 0xA0, count: elements.count) { writer in node.ordered(elements).map { writer.add($0) } }
        case .dictionary(let fields):
            let fields = fields.sorted { $0.key < $1.key }
            return addContainer(marker: 0xD0, count: fields.count) { writer in
                fields.map { writer.add(.value(Self.bytes(of: $0.key))) } + fields.map { writer.add($0.value) }
            }
        case .nothing: return addContainer(marker: 0xD0, count: 0) { _ in [] }
        case .bool(let value): return add(.value([value ? 0x09 : 0x08]))
        case .integer(let value): return add(.value(Self.bytes(of: value)))
        case .large(let value): return add(.value([0x14] + Self.bigEndian(UInt64(0)) + Self.bigEndian(value)))
        case .real(let value): return add(.value([0x23] + Self.bigEndian(value.bitPattern)))
        case .date(let value): return add(.value([0x33] + Self.bigEndian(value.timeIntervalSinceReferenceDate.bitPattern)))
        case .data(let value): return add(.value(Self.head(0x40, count: value.count) + value))
        case .text(let value): return add(.value(Self.bytes(of: value)))
        }
    }

    private mutating func add(_ object: Object) -> Int {
        objects.append(object)
        return objects.count - 1
    }

    private mutating func addContainer(marker: UInt8, count: Int, members: (inout PropertyListBinary) -> [Int]) -> Int {
        let index = add(.container(marker: marker, count: count, members: []))
        objects[index] = .container(marker: marker, count: count, members: members(&self))
        return index
    }

    private var data: Data {
        let referenceSize = Self.size(of: objects.count)
        var output = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(output.count)
            switch object {
            case .value(let bytes): output += bytes
            case .container(let marker, let count, let members):
                output += Self.head(marker, count: count)
                for member in members { output += Self.bigEndian(UInt64(member)).suffix(referenceSize) }
            }
        }
        let table = output.count
        let offsetSize = Self.size(of: table)
        for offset in offsets { output += Self.bigEndian(UInt64(offset)).suffix(offsetSize) }
        output += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [objects.count, 0, table] { output += Self.bigEndian(UInt64(number)) }
        return Data(output)
    }

    // MARK: Parts

    /// A marker with a count in its lower half, or following it.
    private static func head(_ marker: UInt8, count: Int) -> [UInt8] {
        count < 15 ? [marker | UInt8(count)] : [marker | 0xF] + bytes(of: Int64(count))
    }

    private static func bytes(of integer: Int64) -> [UInt8] {
        let bytes = bigEndian(UInt64(bitPattern: integer))
        return switch integer {
        case 0...0xFF: [0x10] + bytes.suffix(1)
        case 0...0xFFFF: [0x11] + bytes.suffix(2)
        case 0...0xFFFF_FFFF: [0x12] + bytes.suffix(4)
        default: [0x13] + bytes
        }
    }

    private static func bytes(of text: String) -> [UInt8] {
        let ascii = Array(text.utf8)
        if ascii.allSatisfy({ $0 < 0x80 }) { return head(0x50, count: ascii.count) + ascii }
        let units = Array(text.utf16)
        return head(0x60, count: units.count) + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// The width of a number in bytes: 1, 2, 4 or 8.
    private static func size(of number: Int) -> Int {
        switch number {
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }
}
