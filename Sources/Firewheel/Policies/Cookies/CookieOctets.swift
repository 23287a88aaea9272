/// Byte operations on `Set-Cookie` fields (RFC 6265bis section 5.6), which have no encoding. Case is ignored for ASCII letters only.
enum CookieOctets {
    /// Whether a byte is a control character other than a tab, which makes a cookie invalid (RFC 6265bis section 5.6).
    static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

    /// Without leading and trailing spaces and tabs, the only white space in cookies.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = bytes.firstIndex(where: { !$0.startsFold }), let last = bytes.lastIndex(where: { !$0.startsFold }) else {
            return []
        }
        return bytes[first...last]
    }

    /// Whether bytes are equal to a name, or begin with it, ignoring the case of ASCII letters.
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
