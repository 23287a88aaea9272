/// A `Content-Disposition` field (RFC 6266) with the file names that it suggests, as sent: they may contain paths.
///
/// Lenient as browsers are: a missing type, spaces in a token and a missing closing quote are accepted. Of repeated parameters and repeated
/// fields the first counts. Continuations (RFC 2231) and encoded words (RFC 2047) have no meaning here, as in RFC 6266 section 4.3.
struct ContentDisposition: Equatable, Sendable {
    /// `filename*`, decoded (RFC 8187). nil if it is missing or malformed.
    private(set) var extendedName: String?
    /// `filename`. Bytes above 127 are UTF-8 if valid, otherwise ISO-8859-1.
    private(set) var plainName: String?

    /// The suggested names, best first (RFC 6266 section 4.3).
    var names: [String] { [extendedName, plainName].compactMap(\.self) }

    /// - Parameter value: The field's value. Several are joined by commas.
    init(_ value: String) {
        var rest = FieldOctets.received(value)[...]
        var names: Set<String> = []
        while let (name, content) = Self.nextParameter(&rest) {
            guard names.insert(name).inserted else { continue }
            switch name {
            case "filename": plainName = FieldOctets.text(content)
            case "filename*": extendedName = Self.decodeExtended(content)
            default: break
            }
        }
    }

    /// Takes the next parameter, or a type without a value, with a name in lower case; nil at the end of the first field.
    private static func nextParameter(_ rest: inout ArraySlice<UInt8>) -> (name: String, content: [UInt8])? {
        rest = rest.drop { $0.isOptionalWhitespace || $0 == UInt8(ascii: ";") }
        guard let first = rest.first, first != UInt8(ascii: ",") else { return nil }
        let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        rest = rest.dropFirst(name.count)
        let key = FieldOctets.latin1(trimmed(name)).lowercased()
        guard rest.first == UInt8(ascii: "=") else { return (key, []) }
        rest = rest.dropFirst().drop { $0.isOptionalWhitespace }
        return (key, rest.first == UInt8(ascii: "\"") ? takeQuoted(&rest) : takeToken(&rest))
    }

    /// Takes a quoted string (RFC 9110 section 5.6.4) and what follows it up to the next parameter.
    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var content: [UInt8] = []
        rest = rest.dropFirst()
        while var byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { break }
                byte = escaped
            }
            content.append(byte)
        }
        rest = rest.drop { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        return content
    }

    /// Takes everything up to the next parameter: names with spaces and commas are often sent without quotes.
    private static func takeToken(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var content = rest.prefix { $0 != UInt8(ascii: ";") }
        // A comma ends the value only if another field follows.
        if let comma = content.lastIndex(of: UInt8(ascii: ",")),
            ["attachment", "inline", "form-data"].contains(FieldOctets.latin1(trimmed(content[(comma + 1)...])).lowercased())
        {
            content = content[..<comma]
        }
        rest = rest.dropFirst(content.count)
        return trimmed(content)
    }

    /// The text of an extended value: charset, language, percent-encoded text (RFC 8187 section 3.2).
    private static func decodeExtended(_ content: [UInt8]) -> String? {
        let parts = content.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].allSatisfy({ $0 < 0x80 }), let octets = Percent.decodingOctets(parts[2]) else { return nil }
        return switch FieldOctets.latin1(Array(parts[0])).lowercased() {
        case "utf-8": FieldOctets.utf8(octets)
        case "iso-8859-1": FieldOctets.latin1(octets)
        default: nil
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = bytes.drop { $0.isOptionalWhitespace }
        while let last = bytes.last, last.isOptionalWhitespace { bytes.removeLast() }
        return Array(bytes)
    }
}
