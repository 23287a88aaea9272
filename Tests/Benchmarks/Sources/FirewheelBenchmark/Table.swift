import Foundation

/// A Markdown table that is also aligned in a terminal: the first column to the left, figures to the right.
struct Table {
    private var rows: [[String]]

    init(_ columns: [String]) {
        rows = [columns]
    }

    mutating func add(_ cells: [String]) {
        rows.append(cells)
    }

    var markdown: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let rule = widths.enumerated().map { String(repeating: "-", count: $1 - ($0 == 0 ? 0 : 1)) + ($0 == 0 ? "" : ":") }
        var lines = rows.map { row in
            row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }
        }
        lines.insert(rule, at: 1)
        return lines.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }
}

/// A number with a fixed count of decimals and separated thousands.
func figure(_ value: Double, decimals: Int = 0) -> String {
    if value < 0 { return "-" + figure(-value, decimals: decimals) }
    let text = String(format: "%.\(decimals)f", value)
    let whole = text.prefix { $0 != "." }
    var grouped = ""
    for (index, digit) in whole.enumerated() {
        if index > 0, (whole.count - index).isMultiple(of: 3) { grouped.append(",") }
        grouped.append(digit)
    }
    return grouped + text.dropFirst(whole.count)
}
