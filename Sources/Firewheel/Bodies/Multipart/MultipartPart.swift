import Foundation

/// A part of a form: its boundary line and header fields, and where its content comes from.
struct MultipartPart: Sendable {
    enum Content: Sendable {
        case data(Data)
        case file(URL, length: Int64)
        case stream(StreamSource, length: Int64)
    }

    /// The boundary line, the header fields and the empty line.
    let head: Data
    let content: Content

    /// What follows the content.
    static let tail = Data("\r\n".utf8)

    /// The bytes of the content.
    var contentLength: Int64 {
        switch content {
        case .data(let data): Int64(data.count)
        case .file(_, let length), .stream(_, let length): length
        }
    }

    /// The bytes of the part in the form; `Int64.max` if there are more.
    var length: Int64 {
        let (length, overflow) = contentLength.addingReportingOverflow(Int64(head.count + Self.tail.count))
        return overflow ? .max : length
    }

    /// The last line of a form.
    static func end(_ boundary: String) -> Data { Data("--\(boundary)--\r\n".utf8) }
}

// MARK: - Heads

extension MultipartPart {
    /// The head of a field of a form (RFC 7578 section 4.2).
    static func head(
        _ boundary: String, name: String, fileName: String?, mimeType: String?
    ) throws(FirewheelError) -> Data {
        var head = Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"".utf8)
        head += try escaped(name, normalizesLineBreaks: true, "the name of a part")
        if let fileName {
            head += Data("\"; filename=\"".utf8)
            head += try escaped(fileName, normalizesLineBreaks: false, "the file name of a part")
        }
        head += Data("\"\r\n".utf8)
        if let mimeType {
            guard hasNoControls(mimeType.utf8) else { throw invalid("the mimeType of a part") }
            head += Data("Content-Type: \(mimeType)\r\n".utf8)
        }
        return head + tail
    }

    /// The head with the caller's header fields.
    static func head(_ boundary: String, headers: HTTPHeaders) throws(FirewheelError) -> Data {
        var head = Data("--\(boundary)\r\n".utf8)
        for header in headers {
            guard header.name.isHTTPToken else { throw invalid("the name of a header field of a part") }
            let value = header.isObsText ? FieldOctets.received(header.value) : Array(header.value.utf8)
            guard hasNoControls(value) else { throw invalid("the value of the header field \(header.name) of a part") }
            head += Data("\(header.name): ".utf8) + value + tail
        }
        return head + tail
    }

    /// Whether a text has no control character, which could end a header field, or let parsers disagree about it. Tab is a space.
    static func hasNoControls(_ text: some Sequence<UInt8>) -> Bool {
        text.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// A name in quotes, as the HTML standard escapes it.
    ///
    /// - Parameter normalizesLineBreaks: Whether each line break becomes CR LF, which the standard wants of the names of fields alone.
    private static func escaped(
        _ text: String, normalizesLineBreaks: Bool, _ what: String
    ) throws(FirewheelError) -> Data {
        let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        guard hasNoControls(text.utf8.lazy.filter { $0 != cr && $0 != lf }) else { throw invalid(what) }
        var output = Data()
        var isBehindCR = false
        for byte in text.utf8 {
            if normalizesLineBreaks, isBehindCR != (byte == lf) { output += Data((isBehindCR ? "%0A" : "%0D").utf8) }
            isBehindCR = byte == cr
            switch byte {
            case cr: output += Data("%0D".utf8)
            case lf: output += Data("%0A".utf8)
            case UInt8(ascii: "\""): output += Data("%22".utf8)
            default: output.append(byte)
            }
        }
        if normalizesLineBreaks, isBehindCR { output += Data("%0A".utf8) }
        return output
    }

    private static func invalid(_ what: String) -> FirewheelError {
        FirewheelError(.multipartEncodingFailed(.bodyPartHeaderInvalid), detail: what)
    }
}

// MARK: - Boundaries

extension MultipartPart {
    /// Whether a text is a boundary: `boundary` of RFC 2046 section 5.1.1.
    static func isValidBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count) && text.utf8.last != UInt8(ascii: " ") && text.utf8.allSatisfy(isBoundaryByte)
    }

    private static func isBoundaryByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }

    /// A boundary that no content can know.
    static func randomBoundary() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = String(generator.next() as UInt64, radix: 16)
        return "firewheel.boundary." + String(repeating: "0", count: 16 - digits.count) + digits
    }
}
