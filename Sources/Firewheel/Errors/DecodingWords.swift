import Foundation

// Descriptions of decoding errors: where in the body, what was expected, and what was found, without the value.

extension FirewheelError {
    static func words(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): return "no value for \"\((context.codingPath + [key]).decodingPath)\""
        case .valueNotFound(let type, let context): return "expected \(name(of: type))\(place(context)), found null"
        case .typeMismatch(let type, let context):
            let found = found(in: context).map { ", found \($0)" } ?? ""
            return "expected \(name(of: type))\(place(context))\(found)"
        case .dataCorrupted(let context):
            let path = context.codingPath.isEmpty ? "the value" : "\"\(context.codingPath.decodingPath)\""
            // The raw value that no case has is part of the standard library's text.
            if let type = context.debugDescription.prefixMatch(of: #/Cannot initialize (\S+) from invalid /#)?.1 {
                return "\(path) is not a valid \(type)"
            }
            let cause = context.underlyingError.flatMap(Self.place).map { " (\($0))" } ?? ""
            return "\(path) is not valid: \(reason(context.debugDescription, at: context.codingPath))\(cause)"
        @unknown default: return "the body cannot be decoded"
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        context.codingPath.isEmpty ? "" : " for \"\(context.codingPath.decodingPath)\""
    }

    /// The type that a Foundation decoder reports to have found, in JSON's terms: `a string`.
    private static func found(in context: DecodingError.Context) -> Substring? {
        let found = context.debugDescription.firstMatch(of: /but found (an? [a-z]+|[a-z]+) instead/)?.1
        return switch found {
        case "bool": "a boolean"
        case "number": "a number"
        case "a dictionary": "an object"
        default: found
        }
    }

    /// A coder's own explanation, redacted where it may quote a secret value.
    static func reason(_ text: String, at path: [any CodingKey]) -> String {
        path.contains { Redaction.isSecret(name: $0.stringValue) } ? Redaction.mark : Redaction.json(text.cut(to: 1_000))
    }

    /// The name of a type as it is written in Swift: `[User]`. What a decoder calls any object or array is named in JSON's terms.
    static func name(of type: Any.Type) -> String {
        let text = "\(type)"
        return switch text {
        case "Dictionary<String, Any>": "an object"
        case "Array<Any>": "an array"
        default: sugared(text[...])
        }
    }

    private static func sugared(_ text: Substring) -> String {
        guard text.hasSuffix(">"), let open = text.firstIndex(of: "<") else { return String(text) }
        let inner = text[text.index(after: open)..<text.index(before: text.endIndex)]
        switch text[..<open] {
        case "Array": return "[\(sugared(inner))]"
        case "Optional": return "\(sugared(inner))?"
        case "Dictionary":
            var depth = 0
            for index in inner.indices {
                if inner[index] == "<" { depth += 1 }
                if inner[index] == ">" { depth -= 1 }
                if inner[index] == ",", depth == 0 {
                    return "[\(sugared(inner[..<index])): \(sugared(inner[inner.index(after: index)...].drop { $0 == " " }))]"
                }
            }
            return String(text)
        default: return String(text)
        }
    }

    /// Where a parser stopped, if its error says so without quoting the input.
    static func place(of error: any Error) -> String? {
        if let error = error as? DecodingError, case .dataCorrupted(let context) = error {
            return context.underlyingError.flatMap(place)
        }
        if let error = error as? any ParserFailure { return error.description }
        guard let text = foundationError(error)?.userInfo["NSDebugDescription"] as? String else { return nil }
        if text.contains("not representable") { return UnrepresentableNumber().description }
        if text.contains("end of file") { return "it ends too early" }
        return text.firstMatch(of: /around (line \d+, column \d+|character \d+)/).map { "at \($0.1)" }
    }
}

extension [any CodingKey] {
    /// `users[1].age`
    fileprivate var decodingPath: String {
        reduce("") { path, key in
            if let index = key.intValue, key.stringValue == "Index \(index)" || key.stringValue == "\(index)" { return path + "[\(index)]" }
            // A key of a dictionary may be the server's.
            let name = key.stringValue.cut(to: 200)
            return path.isEmpty ? name : "\(path).\(name)"
        }
    }
}
