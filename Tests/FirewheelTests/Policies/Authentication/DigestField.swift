import Foundation

/// An `Authorization` field of the Digest scheme, parsed strictly by RFC 7616 section 3.4.
struct DigestField {
    struct Broken: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// Without quotes and escapes.
    private(set) var values: [String: String] = [:]

    private static let quotedNames: Set = ["username", "realm", "nonce", "uri", "response", "cnonce", "opaque"]
    private static let plainNames: Set = ["username*", "algorithm", "qop", "nc", "userhash"]

    init(_ field: String) throws(Broken) {
        guard field.hasPrefix("Digest ") else { throw Broken("the scheme is not Digest") }
        var rest = field.dropFirst(7)
        while true {
            let name = String(rest.prefix { $0 != "=" })
            rest = rest.dropFirst(name.count + 1)
            let isQuoted = rest.first == "\""
            guard (isQuoted ? Self.quotedNames : Self.plainNames).contains(name) else {
                throw Broken("\(name.debugDescription) may not be there, or not in this form")
            }
            guard values[name] == nil else { throw Broken("\(name) is there twice") }
            values[name] = isQuoted ? try Self.takeQuoted(&rest) : Self.takeToken(&rest)
            if rest.isEmpty { break }
            guard rest.hasPrefix(", ") else { throw Broken("no comma behind \(name)") }
            rest = rest.dropFirst(2)
        }
        try check()
    }

    private static func takeQuoted(_ rest: inout Substring) throws(Broken) -> String {
        var value = ""
        rest.removeFirst()
        while let character = rest.popFirst() {
            if character == "\"" { return value }
            guard character != "\\" else {
                guard let escaped = rest.popFirst() else { break }
                value.append(escaped)
                continue
            }
            value.append(character)
        }
        throw Broken("a quoted string does not end")
    }

    private static func takeToken(_ rest: inout Substring) -> String {
        let token = String(rest.prefix { $0 != "," })
        rest = rest.dropFirst(token.count)
        return token
    }

    private func check() throws(Broken) {
        for name in ["realm", "nonce", "uri", "response"] where values[name] == nil { throw Broken("there is no \(name)") }
        guard (values["username"] == nil) != (values["username*"] == nil) else { throw Broken("there is not one user name") }
        if values["userhash"] == "true", values["username*"] != nil { throw Broken("username* with userhash") }
        for name in ["nc", "cnonce"] where (values[name] == nil) != (values["qop"] == nil) {
            throw Broken("\(name) and qop belong together")
        }
        let hexadecimal = Set("0123456789abcdef")
        if let count = values["nc"], count.count != 8 || !count.allSatisfy(hexadecimal.contains) { throw Broken("nc is not eight digits") }
        guard values["response"]?.allSatisfy(hexadecimal.contains) == true else { throw Broken("the response is not hexadecimal") }
    }

    /// KD(H(A1), unq(nonce):nc:unq(cnonce):unq(qop):H(A2)) or, without qop, KD(H(A1), unq(nonce):H(A2)) (section 3.4.1).
    func response(_ keyed: String, _ second: String, _ algorithm: String) -> String {
        let parts = ["nonce", "nc", "cnonce", "qop"].compactMap { values[$0] }
        return DigestServer.hash(([keyed] + parts + [DigestServer.hash(second, algorithm)]).joined(separator: ":"), algorithm)
    }
}
