import Foundation

/// Writes a property list as XML with Apple's document type.
struct PropertyListXML {
    private var output = ""

    /// - Throws: ``ParameterFailure/notInXML(path:)`` or ``ParameterFailure/dateOutOfRange(path:)``.
    static func data(of root: PropertyListNode) throws -> Data {
        var writer = PropertyListXML()
        try writer.write(root, path: [], indentation: "")
        let document = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            \(writer.output)</plist>

            """
        return Data(document.utf8)
    }

    private mutating func write(_ node: PropertyListNode, path: [String], indentation: String) throws {
        output += indentation
        switch node.content {
        case .nothing: output += "<dict/>"
        case .bool(let value): output += value ? "<true/>" : "<false/>"
        case .integer(let value): output += "<integer>\(value)</integer>"
        case .large(let value): output += "<integer>\(value)</integer>"
        case .real(let value): output += "<real>\(Self.text(of: value))</real>"
        case .text(let value): output += "<string>\(try Self.escape(value, path))</string>"
        case .date(let value): output += "<date>\(try InternetDate.text(of: value, path: path.joined(separator: ".")))</date>"
        case .data(let value): output += "<data>\(value.base64EncodedString())</data>"
        case .array(let elements):
            output += "<array>\n"
            for (index, element) in node.ordered(elements).enumerated() {
                try write(element, path: path + [String(index)], indentation: indentation + "\t")
            }
            output += indentation + "</array>"
        case .dictionary(let fields):
            output += "<dict>\n"
            for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
                output += "\(indentation)\t<key>\(try Self.escape(name, path))</key>\n"
                try write(field, path: path + [name], indentation: indentation + "\t")
            }
            output += indentation + "</dict>"
        }
        output += "\n"
    }

    private static func text(of real: Double) -> String {
        if real.isNaN { return "nan" }
        if real.isInfinite { return real < 0 ? "-infinity" : "+infinity" }
        return String(real)
    }

    /// Escapes text for XML. A carriage return is escaped, because a parser would normalize it to a line feed (XML 1.0 section 2.11).
    private static func escape(_ text: String, _ path: [String]) throws -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\r": escaped += "&#13;"
            case "\t", "\n", "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                escaped.unicodeScalars.append(scalar)
            // A character that XML 1.0 section 2.2 does not allow.
            default: throw ParameterFailure.notInXML(path: path.joined(separator: "."))
            }
        }
        return escaped
    }
}
