import Foundation

/// A place in a form: what both faces, `Parameters` and `Encodable`, become before it is written as text.
final class FormNode: EncodingSink {
    enum Content {
        /// nil, or nothing yet. It is not written.
        case nothing
        case text(String)
        case array([FormNode])
        case object([String: FormNode])
    }

    private(set) var content = Content.nothing
    /// Whether the elements of an array have no order of their own.
    private(set) var isUnordered = false

    func note(_ shape: EncodingShape) {
        if shape == .unordered { isUnordered = true }
        guard case .nothing = content else { return }
        content = shape == .keyed ? .object([:]) : .array([])
    }

    func child(forKey key: String) -> FormNode {
        var fields: [String: FormNode] = [:]
        if case .object(let present) = content { fields = present }
        if let present = fields[key] { return present }
        content = .nothing  // Or the dictionary would be copied for every key.
        let child = FormNode()
        fields[key] = child
        content = .object(fields)
        return child
    }

    func appendedChild() -> FormNode {
        var elements: [FormNode] = []
        if case .array(let present) = content { elements = present }
        content = .nothing
        let child = FormNode()
        elements.append(child)
        content = .array(elements)
        return child
    }

    func put(_ value: Bool) {
        content = .text(value ? "1" : "0")
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
        switch value {
        case let data as Data: content = .text(data.base64EncodedString())
        case let url as URL: content = .text(url.absoluteString)
        case let decimal as Decimal:
            guard decimal.isFinite else { throw ParameterFailure.notFinite(path: path.codingPath.text) }
            content = .text(decimal.description)
        // A Date says itself that it is a number of seconds since the reference date.
        default: return false
        }
        return true
    }
}
