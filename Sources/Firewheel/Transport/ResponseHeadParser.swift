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

    /// The final head, once complete.
    private(set) var head: ResponseHead?
    /// The status code of the last head.
    private(set) var statusCode = 0
    /// The declared content length of the final head; nil if there is none, or if it is chunked.
    var contentLength: Int64? { isChunked ? nil : lengths.length }
    /// The bytes of heads so far.
    private(set) var bytes = 0

    private var trailerBytes = 0
    private var httpVersion = ""
    private var fields = ReceivedFields.Builder()
    /// The start of the last field's value if it is a `Content-Length`. It is parsed once no folded line can follow.
    private var openLength: Int?
    private var lengths = ContentLengths()
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
            guard bytes + trailerBytes <= ResponseLines.maximumBytes else {
                return .malformed(ResponseLines.Problem.trailersTooLarge.reason)
            }
            return .trailer
        }
        bytes += line.count
        guard bytes <= ResponseLines.maximumBytes else { return .malformed(ResponseLines.Problem.headTooLarge.reason) }
        do throws(ResponseLines.Problem) {
            if httpVersion.isEmpty { return try status(line.droppingLineBreak()) }
            return line.droppingLineBreak().isEmpty ? end() : try field(line)
        } catch {
            return .malformed(error.reason)
        }
    }

    private mutating func status(_ line: UnsafeRawBufferPointer) throws(ResponseLines.Problem) -> Step {
        let (code, versionEnd) = try ResponseLines.status(line)
        statusCode = code
        httpVersion = Self.version(UnsafeRawBufferPointer(rebasing: line[..<versionEnd]))
        return .more
    }

    private mutating func field(_ line: UnsafeRawBufferPointer) throws(ResponseLines.Problem) -> Step {
        if line[0].startsFold {
            // obs-fold (RFC 9112 section 5.2): the line continues the last value.
            guard !fields.isEmpty else { throw .leadingFold }
            fields.append(line)
            return .more
        }
        if openLength != nil { readLength() }
        let name = try ResponseLines.name(line)
        if name.spells("Content-Length") { openLength = fields.count + name.count + 1 }
        if name.spells("Transfer-Encoding") { isChunked = true }
        fields.noted.formUnion(ReceivedFields.Noted(name: name))
        fields.append(line)
        return .more
    }

    private mutating func end() -> Step {
        if openLength != nil { readLength() }
        if (100..<200).contains(statusCode), statusCode != 101 {
            // The final head follows. The byte count continues.
            httpVersion = ""
            fields = ReceivedFields.Builder()
            lengths = ContentLengths()
            isChunked = false
            return .interim
        }
        if let problem = lengths.problem { return .malformed(problem.reason) }
        head = ResponseHead(statusCode: statusCode, httpVersion: httpVersion, headers: HTTPHeaders(received: fields.build()))
        fields = ReceivedFields.Builder()
        return .complete
    }

    /// Parses the last field, a `Content-Length`.
    private mutating func readLength() {
        guard let start = openLength else { return }
        openLength = nil
        fields.bytes(from: start).withUnsafeBytes { lengths.add($0) }
    }

    private static func version(_ bytes: UnsafeRawBufferPointer) -> String {
        if bytes.count == 8, bytes.begins(with: "HTTP/1.1") { return "HTTP/1.1" }
        let text = String(decoding: bytes, as: UTF8.self)
        return text == "HTTP/2.0" ? "HTTP/2" : text
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func droppingLineBreak() -> UnsafeRawBufferPointer {
        var end = count
        if end > 0, self[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > 0, self[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[..<end])
    }
}
