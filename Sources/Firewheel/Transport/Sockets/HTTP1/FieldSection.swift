import Foundation

/// A response's head or trailer section, read line by line from contiguous bytes that begin with it (RFC 9112 sections 4, 5 and 7.1.2).
///
/// The bytes may come in pieces: `read` goes on with the first line that was not complete. A line ends with CRLF or LF (section 2.2).
/// Bare CR and NUL are refused.
struct FieldSection {
    enum Step {
        /// The section continues.
        case more
        /// The section is complete; it has this many bytes.
        case complete(Int)
        case malformed(ResponseLines.Problem)
    }

    /// The most bytes of the section.
    private let limit: Int
    private let isTrailer: Bool

    /// The status code; 0 before the status line.
    private(set) var statusCode = 0
    /// The second digit of the version, which is HTTP/1.x.
    private(set) var minorVersion = 0
    /// Where the field lines begin and end.
    private(set) var fields = 0..<0
    private(set) var noted: ReceivedFields.Noted = []
    private(set) var framing = FramingFields()

    /// Where the first incomplete line begins.
    private var next = 0
    /// The last field if it is one for the framing, and where its value begins. It is parsed once no folded line can follow.
    private var open: (field: FramingFields.Field, start: Int)?

    init(isTrailer: Bool, limit: Int) {
        self.isTrailer = isTrailer
        self.limit = limit
    }

    /// Reads the complete lines. The bytes begin with those of the previous call.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Step {
        if let problem = versionProblem(in: bytes) { return .malformed(problem) }
        guard let start = bytes.baseAddress else { return .more }
        do throws(ResponseLines.Problem) {
            while let found = memchr(start + next, Int32(UInt8(ascii: "\n")), bytes.count - next) {
                let end = UnsafeRawPointer(found) - start
                guard end < limit else { throw tooLarge }
                let hasCR = end > next && bytes[end - 1] == UInt8(ascii: "\r")
                let line = UnsafeRawBufferPointer(start: start + next, count: end - next - (hasCR ? 1 : 0))
                if next == 0, !isTrailer {
                    try readStatus(line)
                    fields = end + 1..<end + 1
                } else if line.isEmpty {
                    closeField(in: bytes)
                    fields = fields.lowerBound..<next
                    // Both at once, because searching each line takes longer.
                    if UnsafeRawBufferPointer(start: start, count: end + 1).hasBareCROrNUL { throw .controlCharacter }
                    return .complete(end + 1)
                } else {
                    try readField(line, in: bytes)
                }
                next = end + 1
            }
            if let problem = problem(inBeginning: bytes) { throw problem }
            return .more
        } catch {
            return .malformed(error)
        }
    }

    /// Why the section is refused, however its first incomplete line ends.
    func problem(inBeginning bytes: UnsafeRawBufferPointer) -> ResponseLines.Problem? {
        versionProblem(in: bytes) ?? (bytes.count > limit ? tooLarge : nil)
    }

    /// What is not HTTP is refused at its first byte that shows it.
    private func versionProblem(in bytes: UnsafeRawBufferPointer) -> ResponseLines.Problem? {
        guard next == 0, !isTrailer else { return nil }
        let name: StaticString = "HTTP/"
        for index in 0..<min(bytes.count, 5) where bytes[index] != name.utf8Start[index] { return .notHTTP }
        return nil
    }

    private mutating func readStatus(_ line: UnsafeRawBufferPointer) throws(ResponseLines.Problem) {
        let (code, versionEnd) = try ResponseLines.status(line)
        // A higher minor version is compatible, another major version is not (RFC 9110 section 2.5).
        guard versionEnd == 8, line.begins(with: "HTTP/1."), line[7].isASCIIDigit else { throw .notHTTP }
        minorVersion = Int(line[7] - UInt8(ascii: "0"))
        statusCode = code
    }

    private mutating func readField(_ line: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer) throws(ResponseLines.Problem) {
        if line[0].startsFold {
            // obs-fold (RFC 9112 section 5.2): the line continues the last value.
            guard next > fields.lowerBound else { throw .leadingFold }
            return
        }
        closeField(in: bytes)
        let name = try ResponseLines.name(line)
        if let field = FramingFields.Field(name: name) { open = (field, next + name.count + 1) }
        noted.formUnion(ReceivedFields.Noted(name: name))
    }

    private mutating func closeField(in bytes: UnsafeRawBufferPointer) {
        guard let (field, start) = open else { return }
        open = nil
        guard let first = bytes.baseAddress else { return }
        framing.add(field, UnsafeRawBufferPointer(start: first + start, count: next - start))
    }

    private var tooLarge: ResponseLines.Problem { isTrailer ? .trailersTooLarge : .headTooLarge }
}

extension UnsafeRawBufferPointer {
    /// Whether a NUL is among these bytes, or a CR without an LF behind it. The last byte is an LF.
    fileprivate var hasBareCROrNUL: Bool {
        guard let start = baseAddress else { return false }
        if memchr(start, 0, count) != nil { return true }
        let end = start + count
        var next = start
        while let found = memchr(next, 0x0D, end - next) {
            next = UnsafeRawPointer(found) + 1
            guard next < end, next.load(as: UInt8.self) == 0x0A else { return true }
        }
        return false
    }
}
