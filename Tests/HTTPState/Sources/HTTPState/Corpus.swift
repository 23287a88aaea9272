import Foundation

/// A case of the group: what a server sends, and what it must get back.
struct Case: Decodable {
    struct Pair: Decodable {
        let name: String
        let value: String
    }

    let test: String
    let received: [String]
    let sent: [Pair]
    let sentTo: String?

    private enum CodingKeys: String, CodingKey {
        case test, received, sent
        case sentTo = "sent-to"
    }

    /// Cases that the group itself disabled.
    var isDisabled: Bool { test.hasPrefix("DISABLED_") }

    /// The `Cookie` field that RFC 6265 requires; empty for none.
    var expected: String { sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ") }
}

/// A date as servers write it, and its value.
struct DateCase: Decodable {
    let test: String
    /// nil for an invalid date.
    let expected: String?
}

struct Corpus {
    let cases: [Case]
    let dates: [DateCase]

    init(checkout: String) throws {
        let data = URL(fileURLWithPath: checkout).appendingPathComponent("tests/data")
        cases = try Self.read(data.appendingPathComponent("parser.json"))
        dates =
            try Self.read(data.appendingPathComponent("dates/examples.json"))
            + Self.read(data.appendingPathComponent("dates/bsd-examples.json"))
    }

    /// One of the files begins with comment lines.
    private static func read<Element: Decodable>(_ file: URL) throws -> [Element] {
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        let json = lines.drop { $0.trimmingCharacters(in: .whitespaces).hasPrefix("//") }.joined(separator: "\n")
        return try JSONDecoder().decode([Element].self, from: Data(json.utf8))
    }
}
