import Foundation

/// A parser of multipart forms that shares nothing with the library: it splits the form at its boundary.
struct MultipartReader {
    struct Malformed: Error {}

    /// - Throws: ``Malformed`` unless each byte is where RFC 2046 section 5.1.1 has it.
    static func parts(of form: Data, boundary: String) throws -> [RandomForm.Part] {
        var rest = Data("\r\n".utf8) + form
        var pieces: [Data] = []
        let separator = Data("\r\n--\(boundary)".utf8)
        while let range = rest.firstRange(of: separator) {
            pieces.append(Data(rest[..<range.lowerBound]))
            rest = Data(rest[range.upperBound...])
        }
        guard pieces.first?.isEmpty == true, rest == Data("--\r\n".utf8) else { throw Malformed() }
        return try pieces.dropFirst().map(part)
    }

    private static func part(_ bytes: Data) throws -> RandomForm.Part {
        guard bytes.starts(with: Data("\r\n".utf8)), let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)),
            let head = String(data: bytes[2..<end.lowerBound], encoding: .utf8)
        else { throw Malformed() }
        let lines = head.components(separatedBy: "\r\n")
        guard let names = lines[0].wholeMatch(of: /Content-Disposition: form-data; name="([^"]*)"(?:; filename="([^"]*)")?/),
            lines.count <= 2
        else { throw Malformed() }
        var type: String?
        if lines.count == 2 {
            guard lines[1].hasPrefix("Content-Type: ") else { throw Malformed() }
            type = String(lines[1].dropFirst("Content-Type: ".count))
        }
        return RandomForm.Part(
            name: String(names.1), fileName: names.2.map(String.init), type: type, content: Data(bytes[end.upperBound...]))
    }
}
