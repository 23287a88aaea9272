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
    private var fields: [HTTPHeader] = []
    /// The lines folded into the last field so far. They are joined when it ends: line by line would be quadratic.
    private var folds: [String] = []

    /// Takes a line, its line break included, or several: libcurl joins those that arrive while a transfer is paused.
    ///
    /// - Returns: Of several lines `.complete` if the final head ended in them, and else the step of the last.
    mutating func consume(_ lines: UnsafeRawBufferPointer) -> Step {
        var step = Step.more
        var rest = lines
        repeat {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
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

    private mutating func status(_ line: Slice<UnsafeRawBufferPointer>) -> Step {
        guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: UInt8(ascii: " ")) else {
            return .malformed("the status line is malformed")
        }
        let code = line[(space + 1)...].prefix(3)
        let end = space + 1 + code.count
        guard code.count == 3, code.allSatisfy(\.isASCIIDigit), end == line.endIndex || line[end] == UInt8(ascii: " ") else {
            return .malformed("the status line is malformed")
        }
        httpVersion = Self.version(line[..<space])
        statusCode = code.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        fields.reserveCapacity(12)
        return .more
    }

    private mutating func field(_ line: Slice<UnsafeRawBufferPointer>) -> Step {
        if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
            // obs-fold (RFC 9112 section 5.2): the line goes on with the last value.
            guard !fields.isEmpty else { return .malformed("the first header line starts with white space") }
            folds.append(Self.text(line.trimmingOptionalWhitespace()))
            return .more
        }
        unfold()
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return .malformed("a header line has no colon") }
        let name = line[..<colon]
        guard let last = name.last else { return .malformed("a header line has no name") }
        // RFC 9112 section 5.1 has such a field removed or the message refused. libcurl does not take it for a field: read as one here, the two
        // would differ about a length.
        guard !last.isOptionalWhitespace else {
            return .malformed("a header line has white space before its colon")
        }
        let value = line[(colon + 1)...].trimmingOptionalWhitespace()
        fields.append(HTTPHeader(name: Self.text(name), value: Self.text(value)))
        return .more
    }

    private mutating func unfold() {
        guard !folds.isEmpty, let last = fields.popLast() else { return }
        // White space at the ends of a value is no part of it, where a line has nothing else either.
        fields.append(HTTPHeader(name: last.name, value: ([last.value] + folds).filter { !$0.isEmpty }.joined(separator: " ")))
        folds.removeAll()
    }

    private mutating func end() -> Step {
        unfold()
        if (100..<200).contains(statusCode), statusCode != 101 {
            httpVersion = ""
            fields.removeAll()
            return .interim
        }
        if let problem = readContentLength() { return .malformed(problem) }
        head = ResponseHead(statusCode: statusCode, httpVersion: httpVersion, headers: HTTPHeaders(received: fields))
        fields = []
        return .complete
    }

    private mutating func readContentLength() -> String? {
        var isChunked = false
        for field in fields {
            if field.name.equalsIgnoringASCIICase("Transfer-Encoding") { isChunked = true }
            guard field.name.equalsIgnoringASCIICase("Content-Length") else { continue }
            if let length = Self.length(field.value) {
                guard contentLength == nil || contentLength == length else { return "two different Content-Lengths" }
                contentLength = length
                continue
            }
            // A list of equal lengths is what an intermediary makes of repeated fields (RFC 9110 section 8.6).
            for part in field.value.split(separator: ",", omittingEmptySubsequences: false) {
                guard let length = Self.length(part.trimmingOptionalWhitespace()) else {
                    return "Content-Length is no length"
                }
                guard contentLength == nil || contentLength == length else { return "two different Content-Lengths" }
                contentLength = length
            }
        }
        if isChunked { contentLength = nil }
        return nil
    }

    private static func length(_ text: some StringProtocol) -> Int64? {
        text.utf8.allSatisfy(\.isASCIIDigit) ? Int64(text) : nil
    }

    private static func version(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return text == "HTTP/2.0" ? "HTTP/2" : text
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 && $0 != 0 && $0 != 0x0D }) { return String(decoding: bytes, as: UTF8.self) }
        // A CR or NUL inside is replaced by a space (RFC 9110 section 5.5).
        return String(String.UnicodeScalarView(bytes.map { $0 == 0 || $0 == 0x0D ? " " : Unicode.Scalar($0) }))
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func droppingLineBreak() -> Slice<UnsafeRawBufferPointer> {
        var end = endIndex
        if end > 0, self[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > 0, self[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return self[..<end]
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate func trimmingOptionalWhitespace() -> Slice<UnsafeRawBufferPointer> {
        var start = startIndex
        var end = endIndex
        while start < end, self[start].isOptionalWhitespace { start += 1 }
        while start < end, self[end - 1].isOptionalWhitespace { end -= 1 }
        return self[start..<end]
    }
}

extension UInt8 {
    /// A space, a tab, or what is replaced by a space.
    fileprivate var isOptionalWhitespace: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == 0 || self == 0x0D
    }
}
