import Foundation

extension TaskMetrics {
    /// The diagram of `waterfall(width:)` as an SVG image, 960 units wide: a complete document, for a file or an HTML page.
    ///
    /// It contains no external reference and no script. All text is escaped, and URLs are redacted.
    public func waterfallSVG() -> String {
        Waterfall(self).svg()
    }
}

extension Waterfall {
    /// The layout, in the image's units.
    private enum Place {
        static let width = 960
        static let margin = 16
        static let bars = 96
        static let barLength = 760
        static let row = 18
        /// How many characters of 12 units' height fit into the width.
        static let characters = 125
    }

    fileprivate func svg() -> String {
        var y = Place.margin + 12
        var elements = [Self.text(title, x: Place.margin, y: y, weight: "bold")]
        for hop in hops {
            y += Place.row + 10
            elements.append(Self.text(hop.title.shortened(to: Place.characters), x: Place.margin, y: y, weight: "bold"))
            y += Place.row
            elements.append(
                Self.text(hop.facts.joined(separator: ", ").shortened(to: Place.characters), x: Place.margin, y: y, fill: "#666"))
            for (row, bar) in zip(hop.rows, hop.bars(length: Place.barLength, duration: duration)) {
                y += Place.row
                elements.append(Self.text(row.phase.rawValue, x: Place.margin, y: y))
                elements += Self.elements(of: row, bar, y: y)
            }
        }
        let height = y + Place.margin
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Place.width)" height="\(height)" viewBox="0 0 \(Place.width) \(height)" \
            font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">
            <rect width="\(Place.width)" height="\(height)" fill="#fff"/>
            \(elements.joined(separator: "\n"))
            </svg>

            """
    }

    private static func elements(of row: Row, _ bar: Range<Int>?, y: Int) -> [String] {
        guard let bar, let times = row.times else { return [text(row.note, x: Place.bars, y: y, fill: "#999")] }
        let time = text(times.upperBound - times.lowerBound)
        let x = Place.bars + bar.lowerBound
        return [
            "<rect x=\"\(x)\" y=\"\(y - 11)\" width=\"\(bar.count)\" height=\"14\" fill=\"\(color(of: row.phase))\">"
                + "<title>\(escaped("\(row.phase.rawValue): \(time)"))</title></rect>",
            text(time, x: Place.width - Place.margin, y: y, anchor: "end"),
        ]
    }

    private static func color(of phase: Phase) -> String {
        switch phase {
        case .queue: "#bbb"
        case .dns: "#2a9d8f"
        case .connect: "#e9a23b"
        case .proxy: "#d9706b"
        case .tls: "#b565c9"
        case .send: "#4c78a8"
        case .wait: "#72b043"
        case .receive: "#2f6fd0"
        }
    }

    private static func text(
        _ content: String, x: Int, y: Int, weight: String = "normal", fill: String = "#222", anchor: String = "start"
    ) -> String {
        "<text x=\"\(x)\" y=\"\(y)\" fill=\"\(fill)\" font-weight=\"\(weight)\" text-anchor=\"\(anchor)\">\(escaped(content))</text>"
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            default: text.append(character)
            }
        }
    }
}
