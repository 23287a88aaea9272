/// What client and server have agreed on about compressing messages: permessage-deflate (RFC 7692 section 7.1).
struct PermessageDeflate: Equatable {
    /// What the client offers: `client_max_window_bits` lets the server choose the window of what the client sends.
    static let offer = "\(name); client_max_window_bits"

    private static let name = "permessage-deflate"

    var serverKeepsContext = true
    var clientKeepsContext = true
    /// The binary logarithms of the windows, 8 to 15. A server that does not name its own uses the largest.
    var serverWindowBits = 15
    var clientWindowBits = 15

    /// Why a server's choice of extensions is refused: a clause without a subject.
    struct Refusal: Error, Equatable {
        let reason: String
    }

    /// Reads a server's `Sec-WebSocket-Extensions` (RFC 6455 section 9.1).
    ///
    /// - Parameters:
    ///   - values: The values of all fields of this name.
    ///   - isOffered: Whether the client has offered to compress.
    /// - Returns: nil if the server has accepted no extension.
    /// - Throws: What the client has not offered, or what the extension does not define.
    static func accepted(_ values: [String], isOffered: Bool) throws(Refusal) -> PermessageDeflate? {
        var accepted: PermessageDeflate?
        for value in values {
            for element in value.splitOutsideQuotes(at: ",").map({ $0.trimmingOptionalWhitespace() }) where !element.isEmpty {
                let parts = element.splitOutsideQuotes(at: ";").map { $0.trimmingOptionalWhitespace() }
                guard isOffered, parts[0] == name else {
                    throw Refusal(reason: "the extension \"\(String(parts[0].prefix(64)).onOneLine)\", which was not offered")
                }
                guard accepted == nil else { throw Refusal(reason: "\(name) twice") }
                accepted = try PermessageDeflate(parameters: parts.dropFirst())
            }
        }
        return accepted
    }

    /// Reads the parameters of a server's response.
    private init(parameters: ArraySlice<Substring>) throws(Refusal) {
        var names: Set<Substring> = []
        for parameter in parameters {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = parts[0].trimmingOptionalWhitespace()
            let value = parts.count > 1 ? Self.unquoted(parts[1].trimmingOptionalWhitespace()) : nil
            guard names.insert(key).inserted else { throw Refusal(reason: "\(Self.name) with \(Self.shown(key)) twice") }
            switch (key, value) {
            case ("server_no_context_takeover", nil): serverKeepsContext = false
            case ("client_no_context_takeover", nil): clientKeepsContext = false
            case ("server_max_window_bits", let value?): serverWindowBits = try Self.windowBits(value, of: key)
            case ("client_max_window_bits", let value?): clientWindowBits = try Self.windowBits(value, of: key)
            default: throw Refusal(reason: "\(Self.name) with the invalid parameter \(Self.shown(parameter))")
            }
        }
    }

    /// A decimal number from 8 to 15, without leading zeros (section 7.1.2).
    private static func windowBits(_ value: Substring, of key: Substring) throws(Refusal) -> Int {
        guard value.utf8.first != UInt8(ascii: "0"), value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let bits = Int(value),
            (8...15).contains(bits)
        else { throw Refusal(reason: "\(name) with \(shown(key)) of \(shown(value))") }
        return bits
    }

    /// The content of a value that is a quoted string (RFC 6455 section 9.1). Escapes in it, which no number needs, are refused.
    private static func unquoted(_ value: Substring) -> Substring {
        value.count >= 2 && value.first == "\"" && value.last == "\"" ? value.dropFirst().dropLast() : value
    }

    private static func shown(_ text: Substring) -> String { "\"\(String(text.prefix(64)).onOneLine)\"" }
}
