import Foundation

extension TaskMetrics {
    /// The hops as a diagram for a terminal: each phase has a bar on the time scale of the whole task, and its duration.
    ///
    /// ```
    /// 1. GET https://api.example.com/users
    ///    status 200, http/1.1, 203.0.113.7:443, new connection, ...
    ///   queue   |=                                             |  0.412 ms
    ///   dns     | ==                                           |  1.230 ms
    /// ```
    /// `queue` is the time before the hop: adapters, earlier attempts, waiting for a connection. `connect` is TCP, `wait` the time from the
    /// last byte sent to the first one received. A request through a proxy has a row `proxy`, for what is agreed on with the proxy. A bar
    /// has at least one character. Phases that a reused connection does not have are marked `reused`; `-` marks a phase that was not needed
    /// or was not measured by the transport. URLs are redacted and shortened. The text is printable ASCII.
    ///
    /// - Parameter width: The maximum length of a line, in characters, from 40 to 400; other values are clamped. Default: 80.
    public func waterfall(width: Int = 80) -> String {
        Waterfall(self).text(width: min(max(width, 40), 400))
    }
}

extension Waterfall {
    fileprivate func text(width: Int) -> String {
        // The text around a bar: "  connect |" before it, "| 12345.6 ms" after it.
        let length = width - 22
        var lines = [title]
        for hop in hops {
            lines.append(hop.title.shortened(to: width))
            lines += Self.wrapped(hop.facts, width: width, indent: "   ")
            for (row, bar) in zip(hop.rows, hop.bars(length: length, duration: duration)) {
                let drawing = bar.map { String(repeating: " ", count: $0.lowerBound) + String(repeating: "=", count: $0.count) } ?? row.note
                let time = row.times.map { Self.text($0.upperBound - $0.lowerBound) } ?? ""
                let line = "  \(row.phase.rawValue.padded(to: 7)) |\(drawing.padded(to: length))|"
                lines.append(time.isEmpty ? line : line + String(repeating: " ", count: max(0, 10 - time.count)) + time)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The facts separated by commas, wrapped to the width.
    private static func wrapped(_ facts: [String], width: Int, indent: String) -> [String] {
        var lines: [String] = []
        for (index, fact) in facts.enumerated() {
            let piece = fact.shortened(to: width - indent.count - 1) + (index == facts.count - 1 ? "" : ",")
            if let last = lines.last, last.count + 1 + piece.count <= width {
                lines[lines.count - 1] = last + " " + piece
            } else {
                lines.append(indent + piece)
            }
        }
        return lines
    }
}

extension String {
    fileprivate func padded(to length: Int) -> String { self + String(repeating: " ", count: max(0, length - count)) }

    /// The text, with its middle left out if it is too long: the ends of a URL say most.
    func shortened(to length: Int) -> String {
        guard count > length, length > 3 else { return self }
        let tail = (length - 3) / 3
        return prefix(length - 3 - tail) + "..." + suffix(tail)
    }
}
