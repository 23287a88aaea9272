import Foundation

/// What to do with a response to a request that resumes a download.
enum ResumeVerdict: Equatable, Sendable {
    /// The body continues the partial file.
    case append(ContentRange)
    /// The body is a whole file, to be written to another partial file: the old one belongs to other data.
    case startOver
    /// The body is of no use. The same request without a range gets the whole file.
    case askForAll
    /// The response is not the file, nor a part of it. The partial file stays.
    case refuse
}

/// `Content-Range` (RFC 9110 section 14.4) with a known size.
struct ContentRange: Equatable, Sendable {
    /// Where the body begins in the file.
    let start: Int64
    /// Where the body ends, exclusively.
    let end: Int64
    /// The size of the file.
    let total: Int64

    init?(_ value: String) {
        let parts = value.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let numbers = parts[1].split(whereSeparator: { $0 == "-" || $0 == "/" }).compactMap(Self.number)
        guard numbers.count == 3, parts[1] == "\(numbers[0])-\(numbers[1])/\(numbers[2])" else { return nil }
        (start, end, total) = (numbers[0], numbers[1] + 1, numbers[2])
        guard start < end, end <= total else { return nil }
    }

    init(start: Int64, end: Int64, total: Int64) {
        (self.start, self.end, self.total) = (start, end, total)
    }

    /// Whether a value says that the body is not all of the file. A value that is not of bytes, as some services number their records, or
    /// that cannot be read says nothing.
    static func isPart(_ value: String) -> Bool {
        if let range = Self(value) { return range.start > 0 || range.end < range.total }
        // Where the size is not known, only the start tells.
        guard value.hasSuffix("/*"), let range = Self(value.dropLast() + "\(Int64.max - 1)") else { return false }
        return range.start > 0
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy(\.isASCIIDigit) ? Int64(text).flatMap { $0 < .max ? $0 : nil } : nil
    }
}

extension ResumeData {
    /// Where the request begins; nil if it asks for the whole file.
    ///
    /// The last byte is asked for again. So the range is never empty: a file that is complete already, whose size was not known, ends with
    /// a 206 as well, and not with a 416 that would have to be explained with another request.
    var rangeStart: Int64? { validator != nil && count > 1 ? count - 1 : nil }

    /// The fields of the request. If its body is decoded, only one without a coding can be continued.
    func fields(isDecoded: Bool) -> [HTTPHeader] {
        guard let rangeStart, let validator else { return [] }
        return [HTTPHeader(name: "Range", value: "bytes=\(rangeStart)-"), HTTPHeader(name: "If-Range", value: validator.fieldValue)]
            + (isDecoded ? [.acceptEncoding("identity")] : [])
    }

    /// No real file has so many codings that their names are longer.
    private static let maximumCodingLength = 256

    /// Whether the file has the codings of a body that is usually decoded.
    var isEncoded: Bool { contentEncoding.map { !ContentCoding.applied(in: [$0]).isEmpty } ?? false }

    /// Judges the final response to a request with ``fields(isDecoded:)``. Nothing is appended unless the response proves that it is the
    /// rest of the same file: `If-Range` alone does not, because some servers ignore it.
    func judge(_ head: ResponseHead) -> ResumeVerdict {
        guard [200, 203, 206, 416].contains(head.statusCode) else { return .refuse }
        if head.statusCode < 206, !head.isPart { return .startOver }
        // An answer to a range that nobody asked for.
        guard let rangeStart, let validator else { return .refuse }
        guard head.statusCode == 206, validator.matches(head), contentEncoding == head.contentEncoding, !head.isMultipart,
            let range = head.headers.singleton("Content-Range").flatMap(ContentRange.init)
        else { return .askForAll }
        guard range.start == rangeStart, range.total == total ?? range.total, range.total >= count,
            head.isChunked || head.headers.values(for: "Content-Length").allSatisfy({ Int64($0) == range.end - range.start })
        else { return .askForAll }
        return .append(range)
    }

    /// The data of a download that may be resumed later, of which nothing has been received yet; nil if that would not be safe.
    ///
    /// - Parameters:
    ///   - head: The final response to a GET without a range.
    ///   - source: The URL that it comes from.
    ///   - isDecoded: Whether the codings of the body are undone.
    init?(resumable head: ResponseHead, url: TargetURI, source: TargetURI, partial: String, isDecoded: Bool) {
        guard head.statusCode == 200, !(isDecoded && head.hasCodingToUndo), let validator = ResumeValidator(head) else { return nil }
        let contentEncoding = head.contentEncoding
        guard (contentEncoding?.utf8.count ?? 0) <= Self.maximumCodingLength else { return nil }
        guard head.headers.value(for: "Accept-Ranges")?.lowercased() != "none" else { return nil }
        self.init(
            url: url, validator: validator, total: head.bodyLength, count: 0, partial: partial, contentEncoding: contentEncoding)
        if case .lastModified = validator { self.source = Self.hash(of: source) }
    }

    /// Whether a part from a URL may be of the same file. A modification date says nothing about the file of another URL, and a redirect
    /// may lead to another one than before.
    func mayComeFrom(_ url: TargetURI) -> Bool {
        guard case .lastModified? = validator else { return true }
        return source != nil && source == Self.hash(of: url)
    }

    /// What resume data says of a URL that may have a signature. nil without the system's library, and then nothing is appended.
    private static func hash(of url: TargetURI) -> String? { try? HashAlgorithm.sha256.hexadecimal(Data(url.string.utf8)) }
}

extension ResponseHead {
    /// Whether the body's length is not that of `Content-Length`, whatever that says (RFC 9112 section 6.3).
    fileprivate var isChunked: Bool { headers.contains(name: "Transfer-Encoding") }

    /// The body's length in bytes as it is transferred; nil if the head does not say it.
    var bodyLength: Int64? {
        guard !isChunked else { return nil }
        return headers.singleton("Content-Length").flatMap { $0.utf8.allSatisfy(\.isASCIIDigit) ? Int64($0) : nil }
    }

    /// Whether the response succeeded and says that its body is only a part. `Content-Range` means nothing in a 200 (section 14.4), but the
    /// servers that send it there send the part that it names.
    var isPart: Bool {
        headers.mayContain(.contentRange) && (200..<300).contains(statusCode)
            && headers.values(for: "Content-Range").contains(where: ContentRange.isPart)
    }

    /// Whether the body may be several ranges (section 14.6), although one was asked for: one of its types says so.
    fileprivate var isMultipart: Bool {
        headers.values(for: "Content-Type").contains { $0.lowercased().contains("multipart/byteranges") }
    }

    /// The codings of the body, if it is not decoded.
    fileprivate var contentEncoding: String? { ContentCoding.joined(in: headers.values(for: "Content-Encoding")) }

    /// Whether the body is decoded unless the caller does not want that.
    var hasCodingToUndo: Bool {
        headers.mayContain(.contentEncoding) && !ContentCoding.applied(in: headers.values(for: "Content-Encoding")).isEmpty
    }
}
