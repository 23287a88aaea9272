import Foundation

@testable import Firewheel

/// A random form, and what a parser has to find in it.
struct RandomForm {
    struct Part: Equatable, Decodable, Sendable {
        /// The names, escaped as the HTML standard does.
        var name: String
        var fileName: String?
        var type: String?
        var content: Data

        static func == (left: Part, right: Part) -> Bool {
            // Compared byte by byte, because Swift treats differently composed texts as equal.
            left.name.utf8.elementsEqual(right.name.utf8) && left.type == right.type && left.content == right.content
                && left.fileName.map { Data($0.utf8) } == right.fileName.map { Data($0.utf8) }
        }
    }

    let form: MultipartFormData
    private(set) var parts: [Part] = []
    private(set) var hasStream = false

    /// - Parameters:
    ///   - folder: Gets the files of the form.
    ///   - hasBackslashes: Whether names have backslashes, which parsers read differently.
    init(in folder: DownloadTests.Folder, hasBackslashes: Bool = true, using generator: inout some RandomNumberGenerator) throws {
        form = MultipartFormData(boundary: Bool.random(using: &generator) ? nil : Self.boundaries.randomElement(using: &generator))
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let content = Self.content(form.boundary, &generator)
            let (name, fileName) = (Self.name(hasBackslashes, &generator), Self.name(hasBackslashes, &generator))
            let type = ["text/plain", "image/png", "text/html; charset=utf-8"].randomElement(using: &generator)
            var part = Part(name: Self.expected(name, normalizes: true), content: content)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: form.append(content, withName: name)
            case 1:
                form.append(content, withName: name, fileName: fileName, mimeType: type)
                (part.fileName, part.type) = (Self.expected(fileName), type)
            case 2:
                let file = folder.file("\(UUID().uuidString).CSV")
                try content.write(to: file)
                form.append(file, withName: name)
                (part.fileName, part.type) = (file.lastPathComponent, "text/csv")
            case 3:
                let file = folder.file(UUID().uuidString)
                try content.write(to: file)
                form.append(file, withName: name, fileName: fileName, mimeType: type ?? "")
                (part.fileName, part.type) = (Self.expected(fileName), type)
            default:
                hasStream = true
                form.append(
                    InputStream(data: content), withLength: UInt64(content.count), name: name, fileName: fileName, mimeType: type ?? "")
                (part.fileName, part.type) = (Self.expected(fileName), type)
            }
            parts.append(part)
        }
    }

    private static let boundaries = ["x", "--", "a b", "=_?:/.,+()'", String(repeating: "-", count: 70)]

    private static func name(_ hasBackslashes: Bool, _ generator: inout some RandomNumberGenerator) -> String {
        let letters = ["a", "Z", "0", "\"", "\r", "\n", "\r\n", " ", ";", "=", "'", ":", "/", "ä", "日", "👩‍👩‍👧", "e\u{301}", "100% ", ","]
        let all = hasBackslashes ? letters + ["\\", "\t", "%22", "%0D"] : letters
        return (0..<Int.random(in: 1...12, using: &generator)).map { _ in all.randomElement(using: &generator) ?? "" }.joined()
    }

    /// Content with what looks like a boundary, but is none.
    private static func content(_ boundary: String, _ generator: inout some RandomNumberGenerator) -> Data {
        let pieces = [
            Data("\r\n".utf8), Data("\r".utf8), Data("\n".utf8), Data("--".utf8), Data("\r\n--".utf8), Data(" --\(boundary)--\r\n".utf8),
            Data("\r\n-\(boundary)\r\n".utf8), Data("\r\n--\(boundary.dropLast())".utf8), Data("👩‍👩‍👧".utf8), Data([0, 255, 128]),
            Data((0..<2_000).map { _ in UInt8.random(in: 0...255, using: &generator) }),
        ]
        var content = Data()
        for _ in 0..<Int.random(in: 0...8, using: &generator) { content += pieces.randomElement(using: &generator) ?? Data() }
        // Two pieces together may make the boundary.
        let isOne = ["\r", "\n"].contains { content.firstRange(of: Data("\($0)--\(boundary)".utf8)) != nil }
        return isOne || content.starts(with: Data("--\(boundary)".utf8)) ? Data() : content
    }

    /// Written differently than the library does it.
    private static func expected(_ name: String, normalizes: Bool = false) -> String {
        var scalars = Array(name.unicodeScalars)
        if normalizes {
            scalars = scalars.indices.flatMap { index -> [Unicode.Scalar] in
                switch scalars[index] {
                case "\r" where index + 1 == scalars.count || scalars[index + 1] != "\n": ["\r", "\n"]
                case "\n" where index == 0 || scalars[index - 1] != "\r": ["\r", "\n"]
                default: [scalars[index]]
                }
            }
        }
        return scalars.map { ["\r": "%0D", "\n": "%0A", "\"": "%22"][$0] ?? String($0) }.joined()
    }
}
