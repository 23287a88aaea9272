import Foundation

/// A node of a form, to which `Parameters` and `Encodable` values are encoded before it is written as text.
final class FormNode: EncodingSink {
    enum Content {
        /// nil, or not encoded yet. It is not written.
        case nothing
        case text(String)
        /// A key without a value.
        case bareKey
        /// Data that is kept as it is.
        case data(Data)
        case array([FormNode])
        case object(FormFields)
    }

    private let encoder: URLEncodedFormEncoder
    private let keepsData: Bool
    private(set) var content = Content.nothing
    /// Whether the array's elements are those of a set.
    private(set) var isSet = false
    /// Whether the keys are unordered.
    private(set) var isDictionary = false
    /// The size of groups of elements that belong together, if the array is unordered.
    private var unorderedGroup: Int?

    /// - Parameters:
    ///   - encoder: The options for writing values.
    ///   - keepsData: Whether `Data` is kept as it is, for a form that can contain any bytes, instead of written as text.
    init(_ encoder: URLEncodedFormEncoder, keepsData: Bool = false) {
        self.encoder = encoder
        self.keepsData = keepsData
    }

    func note(_ shape: EncodingShape) {
        if shape == .set { isSet = true }
        if shape == .dictionary { isDictionary = true }
        if let group = shape.unorderedGroup { unorderedGroup = group }
        guard case .nothing = content else { return }
        switch shape {
        case .keyed, .dictionary: content = .object(FormFields())
        case .unkeyed, .set, .pairs: content = .array([])
        }
    }

    func child(forKey key: String) -> FormNode {
        var fields = FormFields()
        if case .object(let present) = content { fields = present }
        if let present = fields[key] { return present }
        content = .nothing  // Otherwise a second reference would make each insertion copy the fields.
        let child = FormNode(encoder, keepsData: keepsData)
        fields.append(child, forKey: key)
        content = .object(fields)
        return child
    }

    func appendedChild() -> FormNode {
        var elements: [FormNode] = []
        if case .array(let present) = content { elements = present }
        content = .nothing
        let child = FormNode(encoder, keepsData: keepsData)
        elements.append(child)
        content = .array(elements)
        return child
    }

    /// The elements of an array; unordered ones are sorted by their text.
    func ordered(_ elements: [FormNode]) -> [FormNode] {
        guard let group = unorderedGroup else { return elements }
        let sorted = elements.sorted(inGroupsOf: group) { FormSerializer.sortingText(of: $0, by: encoder) }
        // Cached, because enclosing collections ask for it again.
        content = .array(sorted)
        unorderedGroup = nil
        return sorted
    }

    // MARK: Values

    func putNil(at path: EncodingPath) {
        let written = encoder.nilEncoding.content()
        if case .nothing = written { return }
        content = written
    }

    func putAbsent(forKey key: String, at path: EncodingPath) {
        child(forKey: key).putNil(at: path)
    }

    func put(_ value: Bool) {
        content = .text(encoder.boolEncoding.text(of: value))
    }

    func put(_ text: String) {
        content = .text(text)
    }

    func put(_ number: some FixedWidthInteger) {
        content = .text(String(number))
    }

    func put(_ number: some BinaryFloatingPoint & LosslessStringConvertible, at path: EncodingPath) throws {
        guard number.isFinite else { throw ParameterFailure.notFinite(path: path.codingPath.text) }
        content = .text(String(number))
    }

    func take<T: Encodable>(_ value: T, at path: EncodingPath) throws -> Bool {
        let text: String?
        switch value {
        case let data as Data where keepsData:
            content = .data(data)
            return true
        case let data as Data: text = try encoder.dataEncoding.text(of: data)
        case let date as Date: text = try encoder.dateEncoding.text(of: date, at: path)
        case let url as URL: text = url.absoluteString
        case let decimal as Decimal:
            guard decimal.isFinite else { throw ParameterFailure.notFinite(path: path.codingPath.text) }
            text = decimal.description
        default: text = nil
        }
        guard let text else { return false }
        content = .text(text)
        return true
    }
}

/// Fields in the order of their addition.
struct FormFields: Sequence {
    private var names: [String] = []
    private var nodes: [String: FormNode] = [:]

    subscript(_ name: String) -> FormNode? { nodes[name] }

    mutating func append(_ node: FormNode, forKey name: String) {
        names.append(name)
        nodes[name] = node
    }

    func makeIterator() -> AnyIterator<(String, FormNode)> {
        var names = names.makeIterator()
        return AnyIterator {
            guard let name = names.next(), let node = nodes[name] else { return nil }
            return (name, node)
        }
    }
}
