import Foundation

/// Reads the head of a response line by line, as RFC 9112 sections 4 and 5 have it.
///
/// Order, case and repeated fields are kept. Bytes above 127 are read as ISO-8859-1 (`obs-text`, RFC 9110 section 5.5) and never a failure.
/// Two different lengths are (RFC 9112 section 6.3): who picks one of them reads another message than the server meant.
struct ResponseHeadParser {
    enum Step: Equatable {
        /// More lines belong to this head.
        case more
        /// The head of an interim response (1xx) ended; the final one follows.
        case interim
        /// The final head ended.
        case complete
        /// A line after the final head: a trailer field, of no interest here.
        case trailer
        case malformed(String)
    }

    /// The most bytes of one response's heads and trailer fields together, interim heads included. A limit of our own, so that endless headers end.
    static let maximumBytes = 1 << 20

    /// The final head, once complete.
    private(set) var head: ResponseHead?
    /// The length that the final head declares, if it does and is not chunked.
    private(set) var contentLength: Int64?
    /// Bytes of heads so far.
    private(set) var bytes = 0

    private var trailerBytes = 0
    private var statusCode = 0
    private var httpVersion = ""
    private var fields = ReceivedFields.Builder()
    /// Whether the last field is a `Content-Length`, which is read when it is known that no line goes on with it.
    private var isLengthOpen = false
    private var lengthProblem: String?
    private var isChunked = false

    /// Takes a line, its line break included, or several: libcurl joins those that arrive while a transfer is paused.
    ///
    /// - Returns: Of several lines `.complete` if the final head ended in them, and else the step of the last.
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
        let content = line.droppingLineBreak()
        if httpVersion.isEmpty { return status(content) }
        if content.isEmpty { return end() }
        return field(content)
    }

    private mutating func status(_ line: UnsafeRawBufferPointer) -> Step {
        let digits: UnsafeRawBufferPointer
        if line.count >= 12, line.starts(with: "HTTP/1.1 ".utf8) {
            httpVersion = "HTTP/1.1"
            digits = UnsafeRawBufferPointer(rebasing: line[9...])
        } else {
            guard line.starts(with: "HTTP/".utf8), let space = line.firstOffset(of: UInt8(ascii: " ")) else {
                return .malformed("the status line is malformed")
            }
            httpVersion = Self.version(line[..<space])
            digits = UnsafeRawBufferPointer(rebasing: line[(space + 1)...])
        }
        guard digits.prefix(3).count == 3, digits.prefix(3).allSatisfy(\.isASCIIDigit), digits.count == 3 || digits[3] == UInt8(ascii: " ")
        else {
            return .malformed("the status line is malformed")
        }
        statusCode = digits.prefix(3).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return .more
    }

    private mutating func field(_ line: UnsafeRawBufferPointer) -> Step {
        if line[0].isOptionalWhitespace {
            // obs-fold (RFC 9112 section 5.2): the line goes on with the last value.
            guard fields.continueLast(with: line.trimmingOptionalWhitespace()) else {
                return .malformed("the first header line starts with white space")
            }
            return .more
        }
        readLength()
        guard let colon = line.firstOffset(of: UInt8(ascii: ":")) else { return .malformed("a header line has no colon") }
        guard colon > 0 else { return .malformed("a header line has no name") }
        // RFC 9112 section 5.1 has such a field removed or the message refused. libcurl does not take it for a field: read as one here, the two
        // would differ about a length.
        guard !line[colon - 1].isOptionalWhitespace else { return .malformed("a header line has white space before its colon") }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        fields.append(name: name, value: UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmingOptionalWhitespace())
        isLengthOpen = name.spells("content-length")
        if name.spells("transfer-encoding") { isChunked = true }
        return .more
    }

    private mutating func end() -> Step {
        readLength()
        if (100..<200).contains(statusCode), statusCode != 101 {
            // The final head follows. What was counted goes on being counted.
            httpVersion = ""
            fields = ReceivedFields.Builder()
            (contentLength, lengthProblem, isChunked) = (nil, nil, false)
            return .interim
        }
        if let lengthProblem { return .malformed(lengthProblem) }
        if isChunked { contentLength = nil }
        head = ResponseHead(statusCode: statusCode, httpVersion: httpVersion, headers: HTTPHeaders(received: fields.build()))
        fields = ReceivedFields.Builder()
        return .complete
    }

    /// Reads the last field if it is a `Content-Length`.
    private mutating func readLength() {
        guard isLengthOpen else { return }
        isLengthOpen = false
        let value = fields.lastValue
        // A list of equal lengths is what an intermediary makes of repeated fields (RFC 9110 section 8.6).
        for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let length = Self.length(part) else {
                lengthProblem = lengthProblem ?? "Content-Length is no length"
                return
            }
            if let contentLength, contentLength != length { lengthProblem = lengthProblem ?? "two different Content-Lengths" }
            contentLength = contentLength ?? length
        }
    }

    /// Decimal digits between white space.
    private static func length(_ text: some BidirectionalCollection<UInt8>) -> Int64? {
        guard let first = text.firstIndex(where: { !$0.isOptionalWhitespace }),
            let last = text.lastIndex(where: { !$0.isOptionalWhitespace })
        else { return nil }
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

    private static func version(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return text == "HTTP/2.0" ? "HTTP/2" : text
    }
}

extension UnsafeRawBufferPointer {
    /// How far from its beginning a byte is first found.
    fileprivate func firstOffset(of byte: UInt8) -> Int? {
        guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else { return nil }
        return UnsafeRawPointer(found) - start
    }

    /// Whether these are the letters of a name, given in lower case.
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

    fileprivate func trimmingOptionalWhitespace() -> UnsafeRawBufferPointer {
        var start = 0
        var end = count
        while start < end, self[start].isOptionalWhitespace { start += 1 }
        while start < end, self[end - 1].isOptionalWhitespace { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }
}

extension UInt8 {
    /// OWS of RFC 9110 section 5.6.3.
    fileprivate var isOptionalWhitespace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
