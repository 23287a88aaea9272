import Firewheel

/// A report that is not valid CSV, or has unexpected columns.
public struct ReportError: Error, LocalizedError {
    /// The row, counted from 1; the first row names the columns.
    public let row: Int

    public var errorDescription: String? { "Row \(row) of the report cannot be read." }
}

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<[Loan]> {
    /// The loans in a CSV body with the columns `reader` and `title`. The first line names the columns, whose order does not matter.
    ///
    /// A serializer is a closure: it receives the response and returns a value, or throws an error that reaches the caller unchanged.
    static var loans: DataResponseSerializer<[Loan]> {
        DataResponseSerializer { _, _, data, error in
            // An earlier failure: a lost connection, or a status rejected by `validate`.
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
    /// A quoted field may contain commas, line breaks, and doubled quotes.
    static func rows(_ text: String) -> [[String]] {
        var rows: [[String]] = []
        var row: [String] = []
        var field = ""
        var isQuoted = false
        var previous: Character?
        for character in text {
            switch character {
            case "\"":
                // Within quotes, a doubled quote stands for one quote.
                if !isQuoted, previous == "\"" { field.append(character) }
                isQuoted.toggle()
            case "," where !isQuoted:
                row.append(field)
                field = ""
            // In Swift CR LF is one character.
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
