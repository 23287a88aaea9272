/// Writes a form as text: `a=1&b%5B%5D=2&c%5Bd%5D=3`.
struct FormSerializer {
    private let encoder: URLEncodedFormEncoder
    private let isEscaping: Bool
    private var output: [UInt8] = []

    private init(encoder: URLEncodedFormEncoder, isEscaping: Bool = true) {
        self.encoder = encoder
        self.isEscaping = isEscaping
    }

    /// - Throws: ``ParameterFailure/rootNotKeyed`` if the root is a text or an array.
    static func bytes(ofFieldsOf root: FormNode, by encoder: URLEncodedFormEncoder) throws -> [UInt8] {
        var serializer = FormSerializer(encoder: encoder)
        switch root.content {
        case .nothing: break
        case .object(let fields):
            for (key, node) in serializer.ordered(fields, of: root) { serializer.write(node, under: key) }
        case .text, .array: throw ParameterFailure.rootNotKeyed
        }
        return serializer.output
    }

    /// The sort key for elements of unordered collections: the unescaped text, then the escaped text, which differs for any two different
    /// elements.
    static func sortingText(of node: FormNode, by encoder: URLEncodedFormEncoder) -> [UInt8] {
        [false, true].flatMap { isEscaping in
            var serializer = FormSerializer(encoder: encoder, isEscaping: isEscaping)
            serializer.write(node, under: "")
            return serializer.output + [0]
        }
    }

    private mutating func write(_ node: FormNode, under key: String) {
        switch node.content {
        case .nothing: break
        case .text(let text):
            if !output.isEmpty { output.append(UInt8(ascii: "&")) }
            append(key)
            output.append(UInt8(ascii: "="))
            append(text)
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

    private mutating func append(_ text: String) {
        if isEscaping { encoder.escaping.append(text, to: &output) } else { output += text.utf8 }
    }

    private mutating func write(_ elements: [FormNode], under key: String) {
        var index = 0
        for element in elements {
            let length = output.count
            write(element, under: encoder.arrayEncoding.key(key, at: index))
            // Omitted elements do not count.
            if output.count > length { index += 1 }
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
