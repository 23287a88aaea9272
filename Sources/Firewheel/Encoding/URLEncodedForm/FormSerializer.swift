import Foundation

/// Writes a form as text, `a=1&b%5B%5D=2&c%5Bd%5D=3`, or as a list of fields.
struct FormSerializer {
    private enum Mode {
        case escapedText
        case unescapedText
        case fields
    }

    private let encoder: URLEncodedFormEncoder
    private let mode: Mode
    private var output: [UInt8] = []
    private var fields: [FormField] = []
    /// The number of fields written.
    private var count = 0

    private init(encoder: URLEncodedFormEncoder, mode: Mode) {
        self.encoder = encoder
        self.mode = mode
    }

    /// - Throws: ``ParameterFailure/rootNotKeyed`` if the root is a text or an array.
    static func bytes(ofFieldsOf root: FormNode, by encoder: URLEncodedFormEncoder) throws -> [UInt8] {
        var serializer = FormSerializer(encoder: encoder, mode: .escapedText)
        try serializer.write(fieldsOf: root)
        return serializer.output
    }

    /// - Throws: As ``bytes(ofFieldsOf:by:)``.
    static func fields(of root: FormNode, by encoder: URLEncodedFormEncoder) throws -> [FormField] {
        var serializer = FormSerializer(encoder: encoder, mode: .fields)
        try serializer.write(fieldsOf: root)
        return serializer.fields
    }

    /// The sort key for elements of unordered collections: the unescaped text, then the escaped text, which differs for any two different
    /// elements.
    static func sortingText(of node: FormNode, by encoder: URLEncodedFormEncoder) -> [UInt8] {
        [Mode.unescapedText, .escapedText].flatMap { mode in
            var serializer = FormSerializer(encoder: encoder, mode: mode)
            serializer.write(node, under: "")
            return serializer.output + [0]
        }
    }

    private mutating func write(fieldsOf root: FormNode) throws {
        switch root.content {
        case .nothing: break
        case .object(let fields):
            for (key, node) in ordered(fields, of: root) { write(node, under: key) }
        case .text, .bareKey, .data, .array: throw ParameterFailure.rootNotKeyed
        }
    }

    private mutating func write(_ node: FormNode, under key: String) {
        switch node.content {
        case .nothing: break
        case .text(let text): write(.text(text), under: key)
        case .bareKey: write(.absent, under: key)
        case .data(let data): write(.data(data), under: key)
        case .array(let elements):
            if node.isSet {
                for element in node.ordered(elements) { write(element, under: key) }
            } else {
                write(node.ordered(elements), under: key)
            }
        case .object(let fields):
            for (name, child) in ordered(fields, of: node) { write(child, under: key + encoder.keyPathEncoding.text(name)) }
        }
    }

    private mutating func write(_ value: FormField.Value, under key: String) {
        count += 1
        guard mode != .fields else {
            fields.append(FormField(key: key, value: value))
            return
        }
        if count > 1 { output.append(UInt8(ascii: "&")) }
        append(key)
        switch value {
        case .absent: return
        case .text(let text):
            output.append(UInt8(ascii: "="))
            append(text)
        case .data(let data):
            output.append(UInt8(ascii: "="))
            append(data.base64EncodedString())
        }
    }

    private mutating func append(_ text: String) {
        if mode == .escapedText { encoder.escaping.append(text, to: &output) } else { output += text.utf8 }
    }

    private mutating func write(_ elements: [FormNode], under key: String) {
        var index = 0
        for element in elements {
            let before = count
            write(element, under: encoder.arrayEncoding.key(key, at: index))
            // Omitted elements do not count.
            if count > before { index += 1 }
        }
    }

    /// The fields with their keys as written.
    private func ordered(_ fields: FormFields, of node: FormNode) -> [(String, FormNode)] {
        let named = fields.map { name, child in (encoder.keyEncoding.text(of: name), name, child) }
        guard encoder.alphabetizeKeyValuePairs || node.isDictionary else { return named.map { ($0.0, $0.2) } }
        // Different keys may be written the same.
        return named.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { ($0.0, $0.2) }
    }
}
