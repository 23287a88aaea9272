import Firewheel

/// A report that is no CSV, or not the one that was expected.
public struct ReportError: Error, LocalizedError {
    /// The row, from 1 on; the first one names the columns.
    public let row: Int

    public var errorDescription: String? { "Row \(row) of the report cannot be read." }
}

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<[Loan]> {
    /// The loans in a CSV body with the columns `reader` and `title`. The first line names the columns, whose order does not matter.
    ///
    /// A serializer is a closure: it gets what came and returns a value, or an error that reaches the caller as it is.
    static var loans: DataResponseSerializer<[Loan]> {
        DataResponseSerializer { _, _, data, error in
            // What went wrong before: a lost connection, or a status that `validate` refused.
            if let error { return .failure(error) }
            return Result {
                let rows = CSV.rows(String(decoding: data ?? Data(), as: UTF8.self))
                guard let names = rows.first, let reader = names.firstIndex(of: "reader"), let title = names.firstIndex(of: "title") else {
                    throw ReportError(row: 1)
                }
                return try rows.enumerated().dropFirst().map { index, row in
                    guard row.count == names.count else { throw ReportError(row: index + 1) }
                    return Loan(reader: row[reader], title: row[title])
                }
            }
        }
    }
}

/// Comma-separated values (RFC 4180).
enum CSV {
    /// Fields may be in quotes; then they may contain commas, line breaks, and quotes that are written twice.
    static func rows(_ text: String) -> [[String]] {
        var rows: [[String]] = []
        var row: [String] = []
        var field = ""
        var isQuoted = false
        var previous: Character?
        for character in text {
            switch character {
            case "\"":
                // The second of two quotes within quotes stands for one.
                if !isQuoted, previous == "\"" { field.append(character) }
                isQuoted.toggle()
            case "," where !isQuoted:
                row.append(field)
                field = ""
            // Swift takes CR LF for one character.
            case "\n" where !isQuoted, "\r\n" where !isQuoted:
                rows.append(row + [field])
                row = []
                field = ""
            default:
                field.append(character)
            }
            previous = character
        }
        if !field.isEmpty || !row.isEmpty { rows.append(row + [field]) }
        return rows
    }
}
