/// Bytes of a `Set-Cookie` field (RFC 6265bis section 5.6). They have no encoding, and letters have a case only where they are ASCII.
enum CookieOctets {
    /// The control characters, a tab excepted, with which a cookie is refused (RFC 6265bis section 5.6).
    static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

    /// Without spaces and tabs at both ends, the only white space there is in a cookie.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = bytes.firstIndex(where: { !$0.startsFold }), let last = bytes.lastIndex(where: { !$0.startsFold }) else {
            return []
        }
        return bytes[first...last]
    }

    /// Whether bytes spell a name, or begin with one, without regard to the case of ASCII letters.
    ///
    /// - Parameter name: In lower case.
    static func spell(_ bytes: some Collection<UInt8>, _ name: StaticString) -> Bool {
        bytes.count == name.utf8CodeUnitCount && begin(bytes, with: name)
    }

    static func begin(_ bytes: some Collection<UInt8>, with name: StaticString) -> Bool {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return bytes.count >= name.count && zip(bytes, name).allSatisfy { $0.asciiLowercased == $1 }
    }
}
