import Foundation

/// A node of a property list, to which parameters are encoded before it is written.
///
/// Foundation's serialization is not used, because it writes the keys of a binary property list in a different order in each run.
final class PropertyListNode: EncodingSink {
    enum Content {
        /// Not encoded yet.
        case nothing
        case bool(Bool)
        case integer(Int64)
        /// An integer beyond the range of `integer`.
        case large(UInt64)
        case real(Double)
        case text(String)
        case date(Date)
        case data(Data)
        case array([PropertyListNode])
        case dictionary([String: PropertyListNode])
    }

    private(set) var content = Content.nothing
    private var unorderedGroup: Int?

    func note(_ shape: EncodingShape) {
        if let group = shape.unorderedGroup { unorderedGroup = group }
        guard case .nothing = content else { return }
        switch shape {
        case .keyed, .dictionary: content = .dictionary([:])
        case .unkeyed, .set, .pairs: content = .array([])
        }
    }

    func child(forKey key: String) -> PropertyListNode {
        var fields: [String: PropertyListNode] = [:]
        if case .dictionary(let present) = content { fields = present }
        if let present = fields[key] { return present }
        content = .nothing  // Otherwise a second reference would make each insertion copy the dictionary.
        let child = PropertyListNode()
        fields[key] = child
        content = .dictionary(fields)
        return child
    }

    func appendedChild() -> PropertyListNode {
        var elements: [PropertyListNode] = []
        if case .array(let present) = content { elements = present }
        content = .nothing
        let child = PropertyListNode()
        elements.append(child)
        content = .array(elements)
        return child
    }

    func putNil(at path: EncodingPath) throws {
        throw ParameterFailure.unknownType("nil", path: path.codingPath.text)
    }

    func putAbsent(forKey key: String, at path: EncodingPath) {}
    func put(_ value: Bool) { content = .bool(value) }
    func put(_ text: String) { content = .text(text) }

    func put(_ number: some FixedWidthInteger) {
        // The encoder's containers accept integers of at most 64 bits.
        content = Int64(exactly: number).map(Content.integer) ?? .large(UInt64(truncatingIfNeeded: number))
    }

    func put(_ number: some BinaryFloatingPoint & LosslessStringConvertible, at path: EncodingPath) {
        content = .real(Double(number))
    }

    func take<T: Encodable>(_ value: T, at path: EncodingPath) throws -> Bool {
        switch value {
        case let date as Date: content = .date(date)
        case let data as Data: content = .data(data)
        case let url as URL: content = .text(url.absoluteString)
        case let decimal as Decimal: content = .real(Double(decimal.description) ?? .nan)
        default: return false
        }
        return true
    }

    /// The elements of an array; unordered ones are sorted by their text.
    func ordered(_ elements: [PropertyListNode]) -> [PropertyListNode] {
        guard let group = unorderedGroup else { return elements }
        let sorted = elements.sorted(inGroupsOf: group) { Array($0.text.utf8) + PropertyListBinary.data(of: $0) }
        // Cached, because enclosing collections ask for it again.
        content = .array(sorted)
        unorderedGroup = nil
        return sorted
    }

    private var text: String {
        switch content {
        case .nothing: ""
        case .bool(let value): String(value)
        case .integer(let value): String(value)
        case .large(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): value
        case .date(let value): String(value.timeIntervalSinceReferenceDate)
        case .data(let value): value.base64EncodedString()
        case .array(let elements): ordered(elements).map { $0.text + "\u{0}" }.joined()
        case .dictionary(let fields): fields.sorted { $0.key < $1.key }.map { $0.key + "\u{0}" + $0.value.text + "\u{0}" }.joined()
        }
    }
}
