/// A head is parsed the same however its lines are grouped, and writing the parsed head gives one that parses the same.
func fuzzHead(_ input: [UInt8]) {
    var source = Source(input)
    let grouping = source.word()
    let lines = split(source.rest())
    guard !lines.isEmpty else { return }
    let single = read(lines)
    check(single == read([Array(lines.joined())]), "joined lines read as another head")
    check(single == read(groups(of: lines, by: grouping)), "grouped lines read as another head")
    guard let head = single.head else { return }
    check((100...999).contains(head.statusCode), "status \(head.statusCode)")
    check(single.length.map { $0 >= 0 } ?? true, "a negative length")
    for field in head.headers {
        let isValue = field.value.unicodeScalars.allSatisfy { $0.value <= 0xFF && !"\r\n\u{0}".unicodeScalars.contains($0) }
        check(isValue, "a value that is no field's")
    }
    // A name that is not a token may contain characters with a meaning in a line.
    guard head.headers.allSatisfy({ $0.name.isHTTPToken }) else { return }
    let text =
        "HTTP/1.1 \(head.statusCode)\r\n"
        + head.headers.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
    let again = read([text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }])
    check(again.head?.headers == head.headers && again.head?.statusCode == head.statusCode, "written down, it reads as another head")
    check(again.length == single.length, "written down, it has another length")
}

private struct Reading: Equatable {
    var head: ResponseHead?
    var length: Int64?
    var bytes: Int
    var problem: String?
}

private func read(_ pieces: [[UInt8]]) -> Reading {
    var parser = ResponseHeadParser()
    for piece in pieces {
        if case .malformed(let reason) = piece.withUnsafeBytes({ parser.consume($0) }) {
            return Reading(head: parser.head, length: parser.contentLength, bytes: parser.bytes, problem: reason)
        }
    }
    return Reading(head: parser.head, length: parser.contentLength, bytes: parser.bytes, problem: nil)
}

private func split(_ bytes: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
        lines.append(Array(rest[..<end]))
        rest = rest[end...]
    }
    return lines
}

/// The lines, cut where the number has a bit.
private func groups(of lines: [[UInt8]], by cuts: UInt64) -> [[UInt8]] {
    var groups: [[UInt8]] = [[]]
    for (index, line) in lines.enumerated() {
        groups[groups.count - 1] += line
        if cuts >> UInt64(index % 64) & 1 == 1, index + 1 < lines.count { groups.append([]) }
    }
    return groups
}
