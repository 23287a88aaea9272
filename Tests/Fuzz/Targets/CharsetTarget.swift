import Foundation

/// A charset put into a Content-Type is found, and text in a Unicode encoding decodes to itself.
func fuzzCharset(_ input: [UInt8]) {
    for text in [latin1(input), String(decoding: input, as: UTF8.self)] {
        _ = Charset.encoding(ofContentType: text)
        _ = Charset.encoding(ofContentType: "a/b; charset=" + text)
        let quoted = text.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }.joined()
        let found = Charset.parameter(ofContentType: "a/b; x=\"\(quoted)\"; charset=\"\(quoted)\"; charset=y")
        // A combining mark would join the quote or backslash before it. Fields are ISO-8859-1, which has none.
        guard text.unicodeScalars.allSatisfy({ $0.value <= 0xFF }) else { continue }
        check(found == text.lowercased(), "\(text.debugDescription) is not found")
    }
    var source = Source(input)
    let encodings = Charset.encodings.sorted { $0.key < $1.key }
    let encoding = encodings[Int(source.byte()) % encodings.count].value
    let bytes = source.rest()
    decode(bytes, as: encoding)
    for encoding in [String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf32] { decode(bytes, as: encoding) }
}

private func decode(_ bytes: [UInt8], as encoding: String.Encoding) {
    guard let text = Charset.decode(Data(bytes), as: encoding) else {
        check(encoding != .utf8 || String(validating: bytes, as: UTF8.self) == nil, "UTF-8 that is none")
        return
    }
    switch encoding {
    case .utf8: check(bytes.suffix(text.utf8.count).elementsEqual(text.utf8) && bytes.count - text.utf8.count <= 3, "other bytes of UTF-8")
    case .utf16, .utf16BigEndian, .utf16LittleEndian:
        check([0, 2].contains(bytes.count - text.utf16.count * 2), "another size of UTF-16")
        check(zip(bytes.suffix(text.utf16.count * 2).pairs, text.utf16).allSatisfy { $0.contains($1) }, "other units of UTF-16")
    case .utf32, .utf32BigEndian, .utf32LittleEndian:
        check([0, 4].contains(bytes.count - text.unicodeScalars.count * 4), "another size of UTF-32")
    default: break
    }
}

extension ArraySlice<UInt8> {
    /// Two bytes at a time, in both byte orders.
    fileprivate var pairs: [[UInt16]] {
        stride(from: startIndex, to: endIndex, by: 2).map { index in
            let (first, second) = (UInt16(self[index]), UInt16(self[index + 1]))
            return [first << 8 | second, second << 8 | first]
        }
    }
}
