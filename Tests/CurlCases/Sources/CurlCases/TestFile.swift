import Foundation

/// A test case of curl, as far as the replying side is concerned (`docs/tests/FILEFORMAT.md` in curl's repository).
struct TestFile {
    let number: Int
    let name: String
    let servers: [String]
    let command: String
    /// Whether the client is a program of its own and not the curl tool.
    let hasTool: Bool
    let serverCommands: [String]
    /// The replies by number: `<data>` is 0.
    let replies: [Int: [UInt8]]
    let hasConnect: Bool
    /// Curl's expected output with heads; nil if the case does not say.
    let output: [UInt8]?
    /// Curl's expected exit code.
    let exitCode: Int

    /// - Parameter host: Address and port that replace curl's own server's.
    init(number: Int, folder: URL, host: String, port: Int) throws {
        self.number = number
        let source = Array(try Data(contentsOf: folder.appendingPathComponent("data/test\(number)")))
        let macros = Macros(values: [
            "HOSTIP": host, "HTTPPORT": "\(port)", "TESTNUMBER": "\(number)", "SRCDIR": folder.path, "VERSION": "8", "LOGDIR": "/tmp",
        ])
        let text = macros.expand(source)
        let sections = Sections(text)
        func words(_ path: String...) -> [String] {
            (sections.part(path)?.bytes ?? []).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        }
        name = words("client", "name").joined(separator: " ")
        servers = words("client", "server").map { $0.trimmingCharacters(in: .whitespaces) }
        command = words("client", "command").joined(separator: " ")
        hasTool = sections.part(["client", "tool"]) != nil
        serverCommands = words("reply", "servercmd")
        var replies: [Int: [UInt8]] = [:]
        for (tag, part) in sections.parts(of: "reply") where tag.hasPrefix("data") {
            if let index = tag == "data" ? 0 : Int(tag.dropFirst(4)) { replies[index] = part.content }
        }
        self.replies = replies
        hasConnect = sections.parts(of: "reply").contains { $0.tag.hasPrefix("connect") }
        let shown = sections.part(["reply", "datacheck"]) ?? sections.part(["reply", "data"])
        output = shown.flatMap { $0.attributes["nocheck"] == nil ? $0.content : nil }
        exitCode = words("verify", "errorcode").first.flatMap(Int.init) ?? 0
    }
}

/// The content between tags, each on a line of its own.
private struct Sections {
    struct Part {
        var attributes: [String: String]
        var bytes: [UInt8]

        /// The bytes, changed as the attributes say.
        var content: [UInt8] {
            var lines = bytes.lines
            switch attributes["crlf"] {
            case "yes": lines = lines.map(\.endingInCRLF)
            case "headers": lines = Headers.endingInCRLF(lines)
            default: break
            }
            var content = Array(lines.joined())
            if attributes["nonewline"] == "yes", content.last == UInt8(ascii: "\n") { content.removeLast() }
            return content
        }
    }

    private var found: [(section: String, tag: String, part: Part)] = []

    init(_ text: [UInt8]) {
        var section: String?
        var open: (tag: String, part: Part)?
        for line in text.lines {
            let tag = Self.tag(line)
            if var current = open {
                if tag?.name == "/" + current.tag {
                    found.append((section ?? "", current.tag, current.part))
                    open = nil
                } else {
                    current.part.bytes += line
                    open = current
                }
            } else if let tag {
                if section == nil {
                    if ["info", "reply", "client", "verify"].contains(tag.name) { section = tag.name }
                } else if tag.name == "/" + (section ?? "") {
                    section = nil
                } else if !tag.name.hasPrefix("/") {
                    open = (tag.name, Part(attributes: tag.attributes, bytes: []))
                }
            }
        }
    }

    func part(_ path: [String]) -> Part? { found.first { $0.section == path.first && $0.tag == path.last }?.part }

    func parts(of section: String) -> [(tag: String, part: Part)] { found.filter { $0.section == section }.map { ($0.tag, $0.part) } }

    private static func tag(_ line: ArraySlice<UInt8>) -> (name: String, attributes: [String: String])? {
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.hasPrefix("<"), text.hasSuffix(">"), !text.hasPrefix("<!") else { return nil }
        let words = text.dropFirst().dropLast().split(separator: " ")
        guard let name = words.first, name.drop(while: { $0 == "/" }).allSatisfy({ $0.isLetter || $0.isNumber }) else { return nil }
        var attributes: [String: String] = [:]
        for word in words.dropFirst() {
            let pair = word.split(separator: "=")
            if pair.count == 2 { attributes[String(pair[0])] = pair[1].trimmingCharacters(in: ["\""]) }
        }
        return (String(name), attributes)
    }
}

/// What curl's `subnewlines` takes for a header: a status line, a field, and the empty line after those.
private enum Headers {
    static func endingInCRLF(_ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
        var isHead = false
        return lines.map { line in
            if isStatusLine(line) || isField(line) {
                isHead = true
                return line.endingInCRLF
            }
            defer { isHead = false }
            return isHead && line.elementsEqual("\n".utf8) ? line.endingInCRLF : line
        }
    }

    private static func isStatusLine(_ line: ArraySlice<UInt8>) -> Bool {
        guard !line.contains(0x0D) else { return false }
        return ["HTTP/1.1 ", "HTTP/1.0 ", "HTTP/2 ", "HTTP/3 "].contains { version in
            line.starts(with: version.utf8) && line.dropFirst(version.utf8.count).first.map { "123459".utf8.contains($0) } == true
        }
    }

    private static func isField(_ line: ArraySlice<UInt8>) -> Bool {
        guard !line.contains(0x0D), let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { return false }
        let isName = line[..<colon].allSatisfy { byte in
            let letter = byte | 0x20
            return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) || "0123456789-_".utf8.contains(byte)
        }
        return isName && line[colon...].dropFirst().first == UInt8(ascii: " ")
    }
}

extension Collection<UInt8> {
    /// With their line feeds.
    var lines: [SubSequence] {
        var lines: [SubSequence] = []
        var rest = self[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { rest.index(after: $0) } ?? rest.endIndex
            lines.append(rest[..<end])
            rest = rest[end...]
        }
        return lines
    }
}

extension ArraySlice<UInt8> {
    fileprivate var endingInCRLF: ArraySlice<UInt8> {
        guard last == 0x0A else { return self }
        var line = dropLast()
        while line.last == 0x0D { line.removeLast() }
        return line + [0x0D, 0x0A]
    }
}
