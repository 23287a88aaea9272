import Foundation

/// Parses a response head line by line (RFC 9112 sections 4 and 5).
///
/// Order, case and repeated fields are kept. Bytes above 127 are read as ISO-8859-1 (`obs-text`, RFC 9110 section 5.5) and are never an
/// error. Two different content lengths are (RFC 9112 section 6.3), because choosing one could delimit another message than the server
/// meant.
struct ResponseHeadParser {
    enum Step: Equatable {
        /// The head continues.
        case more
        /// The head of an interim response (1xx) is complete; the final one follows.
        case interim
        /// The final head is complete.
        case complete
        /// A line after the final head: a trailer field, which is ignored.
        case trailer
        case malformed(String)
    }

    /// The most bytes of a response's heads and trailer fields together, interim heads included. The limit stops endless header sections.
    static let maximumBytes = 1 << 20

    /// The final head, once complete.
    private(set) var head: ResponseHead?
    /// The status code of the last head.
    private(set) var statusCode = 0
    /// The declared content length of the final head; nil if there is none, or if it is chunked.
    private(set) var contentLength: Int64?
    /// The bytes of heads so far.
    private(set) var bytes = 0

    private var trailerBytes = 0
    private var httpVersion = ""
    private var fields = ReceivedFields.Builder()
    /// The start of the last field's value if it is a `Content-Length`. It is parsed once no folded line can follow.
    private var openLength: Int?
    private var lengthProblem: String?
    private var isChunked = false

    /// Parses one line including its line break, or several: libcurl joins lines that arrive while a transfer is paused.
    ///
    /// - Returns: For several lines `.complete` if the final head was completed, otherwise the step of the last line.
    mutating func consume(_ lines: UnsafeRawBufferPointer) -> Step {
        var step = Step.more
        var rest = lines
        repeat {
            let end = rest.firstOffset(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.count
            let next = consumeLine(UnsafeRawBufferPointer(rebasing: rest[..<end]))
            if case .malformed = next { return next }
            if step != .complete { step = next }
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        } while !rest.isEmpty
        return step
    }

    private mutating func consumeLine(_ line: UnsafeRawBufferPointer) -> Step {
        if head != nil {
            trailerBytes += line.count
            guard bytes + trailerBytes <= Self.maximumBytes else {
                return .malformed("the response's header and trailer fields are larger than 1 MiB")
            }
            return .trailer
        }
        bytes += line.count
        guard bytes <= Self.maximumBytes else { return .malformed("the response's header fields are larger than 1 MiB") }
        if httpVersion.isEmpty { return status(line.droppingLineBreak()) }
        return line.droppingLineBreak().isEmpty ? end() : field(line)
    }

    private mutating func status(_ line: UnsafeRawBufferPointer) -> Step {
        guard line.begins(with: "HTTP/"), let space = line.firstOffset(of: UInt8(ascii: " ")) else {
            return .malformed("the response is malformed: its status line is not valid")
        }
        httpVersion = Self.version(UnsafeRawBufferPointer(rebasing: line[..<space]))
        let code = UnsafeRawBufferPointer(rebasing: line[(space + 1)...])
        guard code.count == 3 || code.count > 3 && code[3] == UInt8(ascii: " ") else {
            return .malformed("the response is malformed: its status line is not valid")
        }
        statusCode = 0
        for index in 0..<3 {
            guard code[index].isASCIIDigit else { return .malformed("the response is malformed: its status line is not valid") }
            statusCode = statusCode * 10 + Int(code[index] - UInt8(ascii: "0"))
        }
        // Smaller status codes have no class (RFC 9110 section 15). Not all releases of libcurl refuse them, for HTTP/2 in particular.
        guard statusCode >= 100 else { return .malformed("the response is malformed: its status code is below 100") }
        return .more
    }

    private mutating func field(_ line: UnsafeRawBufferPointer) -> Step {
        if line[0].startsFold {
            // obs-fold (RFC 9112 section 5.2): the line continues the last value.
            guard !fields.isEmpty else { return .malformed("the response is malformed: the first header line starts with white space") }
            fields.append(line)
            return .more
        }
        if openLength != nil { readLength() }
        guard let colon = line.firstOffset(of: UInt8(ascii: ":")) else {
            return .malformed("the response is malformed: a header line has no colon")
        }
        guard colon > 0 else { return .malformed("the response is malformed: a header line has no name") }
        // RFC 9112 section 5.1 has such a field removed or the message rejected. libcurl does not accept it as a field, so accepting it
        // here could lead to two different content lengths.
        guard !line[colon - 1].isOptionalWhitespace else {
            return .malformed("the response is malformed: a header line has white space before its colon")
        }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        if name.spells("content-length") { openLength = fields.count + colon + 1 }
        if name.spells("transfer-encoding") { isChunked = true }
        note(name)
        fields.append(line)
        return .more
    }

    /// Notes the presence of a field, so that policies with nothing to do need no strings.
    private mutating func note(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 8 where name.spells("location"): fields.noted.insert(.location)
        case 10 where name.spells("set-cookie"): fields.noted.insert(.setCookie)
        case 16 where name.spells("www-authenticate"): fields.noted.insert(.wwwAuthenticate)
        default: break
        }
    }

    private mutating func end() -> Step {
        if openLength != nil { readLength() }
        if (100..<200).contains(statusCode), statusCode != 101 {
            // The final head follows. The byte count continues.
            httpVersion = ""
            fields = ReceivedFields.Builder()
            contentLength = nil
            lengthProblem = nil
            isChunked = false
            return .interim
        }
        if let lengthProblem { return .malformed(lengthProblem) }
        if isChunked { contentLength = nil }
        head = ResponseHead(statusCode: statusCode, httpVersion: httpVersion, headers: HTTPHeaders(received: fields.build()))
        fields = ReceivedFields.Builder()
        return .complete
    }

    /// Parses the last field, a `Content-Length`.
    private mutating func readLength() {
        guard let start = openLength else { return }
        openLength = nil
        // An intermediary may combine repeated fields into a list of equal lengths (RFC 9110 section 8.6).
        var rest = fields.bytes(from: start)
        while true {
            let comma = rest.firstIndex(of: UInt8(ascii: ","))
            guard let length = Self.length(rest[..<(comma ?? rest.endIndex)]) else {
                lengthProblem = lengthProblem ?? "the response is malformed: its Content-Length is not a length"
                return
            }
            if let contentLength, contentLength != length {
                lengthProblem = lengthProblem ?? "the response is malformed: it has two different Content-Lengths"
            }
            contentLength = contentLength ?? length
            guard let comma else { return }
            rest = rest[(comma + 1)...]
        }
    }

    /// Parses decimal digits surrounded by optional white space.
    private static func length(_ text: ArraySlice<UInt8>) -> Int64? {
        func isSpace(_ byte: UInt8) -> Bool { byte.isOptionalWhitespace || byte == 0x0D || byte == 0x0A }
        guard let first = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) }) else { return nil }
        var length: Int64 = 0
        for byte in text[first...last] {
            guard byte.isASCIIDigit else { return nil }
            let (tens, isTooLarge) = length.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeAfterAll) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            if isTooLarge || isTooLargeAfterAll { return nil }
            length = sum
        }
        return length
    }

    private static func version(_ bytes: UnsafeRawBufferPointer) -> String {
        if bytes.count == 8, bytes.begins(with: "HTTP/1.1") { return "HTTP/1.1" }
        let text = String(decoding: bytes, as: UTF8.self)
        return text == "HTTP/2.0" ? "HTTP/2" : text
    }
}

extension UnsafeRawBufferPointer {
    /// The offset of a byte's first occurrence.
    fileprivate func firstOffset(of byte: UInt8) -> Int? {
        guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else { return nil }
        return UnsafeRawPointer(found) - start
    }

    /// Whether these bytes spell a lower-case name, ignoring case.
    fileprivate func spells(_ name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index].asciiLowercased != name.utf8Start[index] { return false }
        return true
    }

    fileprivate func droppingLineBreak() -> UnsafeRawBufferPointer {
        var end = count
        if end > 0, self[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > 0, self[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[..<end])
    }

    fileprivate func begins(with text: StaticString) -> Bool {
        guard let start = baseAddress, count >= text.utf8CodeUnitCount else { return false }
        return memcmp(start, text.utf8Start, text.utf8CodeUnitCount) == 0
    }
}
