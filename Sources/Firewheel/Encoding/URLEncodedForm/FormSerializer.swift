/// Writes a form as text: `a=1&b%5B%5D=2&c%5Bd%5D=3`.
struct FormSerializer {
    private var output: [UInt8] = []
    /// The key of the value at hand, percent-encoded.
    private var key: [UInt8] = []

    /// - Throws: ``ParameterFailure/rootNotKeyed`` if the root is a text or an array.
    static func text(of root: FormNode) throws -> String {
        var serializer = FormSerializer()
        switch root.content {
        case .nothing: break
        case .object(let fields): serializer.write(fields, inBrackets: false)
        case .text, .array: throw ParameterFailure.rootNotKeyed
        }
        return String(decoding: serializer.output, as: UTF8.self)
    }

    private mutating func write(_ node: FormNode) {
        switch node.content {
        case .nothing: break
        case .text(let text):
            startPair()
            output += key
            output.append(UInt8(ascii: "="))
            output.appendPercentEncoding(text)
        case .array(let elements):
            let end = key.count
            key += Self.open + Self.close
            if node.isUnordered {
                writeSorted(elements)
            } else {
                for element in elements { write(element) }
            }
            key.removeSubrange(end...)
        case .object(let fields): write(fields, inBrackets: true)
        }
    }

    private mutating func write(_ fields: [String: FormNode], inBrackets: Bool) {
        let end = key.count
        for (name, node) in fields.sorted(by: { $0.key < $1.key }) {
            if inBrackets { key += Self.open }
            key.appendPercentEncoding(name)
            if inBrackets { key += Self.close }
            write(node)
            key.removeSubrange(end...)
        }
    }

    /// Elements that have no order, by their text.
    private mutating func writeSorted(_ elements: [FormNode]) {
        let texts = elements.map { element in
            var serializer = FormSerializer()
            serializer.key = key
            serializer.write(element)
            return serializer.output
        }
        for text in texts.sorted(by: { $0.lexicographicallyPrecedes($1) }) where !text.isEmpty {
            startPair()
            output += text
        }
    }

    private mutating func startPair() {
        if !output.isEmpty { output.append(UInt8(ascii: "&")) }
    }

    private static let open = Array("%5B".utf8)
    private static let close = Array("%5D".utf8)
}

extension [UInt8] {
    /// Appends text in UTF-8, with every byte percent-encoded but those that RFC 3986 lets stand in a query without a meaning of their own:
    /// the unreserved ones, and `/` and `?` (sections 2.3 and 3.4). It is the set of Alamofire.
    fileprivate mutating func appendPercentEncoding(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "?"):
                append(byte)
            default:
                append(UInt8(ascii: "%"))
                append(Self.hexadecimal[Int(byte >> 4)])
                append(Self.hexadecimal[Int(byte & 0xF)])
            }
        }
    }

    private static let hexadecimal = Array("0123456789ABCDEF".utf8)
}
