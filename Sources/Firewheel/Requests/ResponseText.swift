import Foundation

// Descriptions of responses.

/// A result as readable text: truncated, and with named secrets redacted.
///
/// - Parameter contentType: The media type of the serialized body. A text value is redacted accordingly.
func readable<Value>(_ result: Result<Value, any Error>, contentType: String?) -> String {
    switch result {
    case .success(let text as String): "success(\(String(reflecting: Redaction.body(cut(text), contentType: contentType))))"
    case .success(let value): "success(\(Redaction.json(cut(String(reflecting: value)))))"
    case .failure(let error): "failure(\(cut(FirewheelError.words(of: error))))"
    }
}

private func cut(_ text: String) -> String {
    let count = text.utf8.count
    let limit = Redaction.maximumShownBytes
    return count <= limit ? text : String(decoding: text.utf8.prefix(limit), as: UTF8.self) + "… (\(count) bytes)"
}

extension Outcome {
    /// The debug description of a response, one fact per line, in Alamofire's format.
    func report<Value>(body: [String], content: String, timeline: Timeline, result: Result<Value, any Error>) -> String {
        var lines: [String] = []
        if let request {
            lines.append("[Request]: \(Redaction.line(of: request))")
            lines += headerLines(request.headers)
            lines += indented(["[Body]:"]) + indented(bodyLines(request.httpBody, headers: request.headers), by: 2)
        } else {
            lines.append("[Request]: None")
        }
        if let statusCode {
            lines += ["[Response]:"] + indented(["[Status Code]: \(statusCode)"])
            lines += headerLines(headers)
            lines += indented(["[Body]:"]) + indented(body, by: 2)
        } else {
            lines.append("[Response]: None")
        }
        lines += [
            content,
            "[Network Duration]: \(metrics.map { "\($0.taskInterval.duration) s" } ?? "None")",
            "[Serialization Duration]: \(timeline.serializationDuration) s",
            "[Result]: \(readable(result, contentType: headers.singleton("Content-Type")))",
        ]
        return lines.joined(separator: "\n")
    }

    /// The lines of a body, or a placeholder.
    func bodyLines(_ data: Data?, headers: HTTPHeaders) -> [String] {
        guard let data, !data.isEmpty else { return ["None"] }
        guard data.count <= Redaction.maximumShownBytes, let contentType = headers.singleton("Content-Type"),
            let text = ShownText.of(data, contentType: contentType, isCut: false)
        else { return ["\(data.count) bytes"] }
        return Redaction.body(text, contentType: contentType).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(
            String.init)
    }

    private func headerLines(_ headers: HTTPHeaders) -> [String] {
        indented(["[Headers]:"]) + indented(headers.isEmpty ? ["None"] : headers.map(\.description), by: 2)
    }

    private func indented(_ lines: [String], by levels: Int = 1) -> [String] {
        lines.map { String(repeating: "    ", count: levels) + $0 }
    }
}

extension Result where Failure == any Error {
    func tryMap<NewSuccess>(_ transform: (Success) throws -> NewSuccess) -> Result<NewSuccess, any Error> {
        flatMap { value in Result<NewSuccess, any Error> { try transform(value) } }
    }

    func tryMapError(_ transform: (any Error) throws -> any Error) -> Self {
        mapError { error in
            do {
                return try transform(error)
            } catch {
                return error
            }
        }
    }
}
