import Foundation

/// The texts that ``LogEventMonitor`` writes. The only line breaks in them are added here, each followed by a tab.
enum LogText {
    /// The maximum number of bytes of a body that are shown.
    static let maximumBodyBytes = 10_000

    /// A finished request on one line: `GET https://example.com/ 200, 12.345 ms, 5 bytes received, new connection`.
    static func line(_ context: RequestContext, error: (any Error)?) -> String {
        let error = error ?? context.serializationError
        let metrics = context.metrics
        var first = (context.request ?? (error as? FirewheelError)?.request).map { Redaction.line(of: $0) } ?? "request \(context.id)"
        if let status = context.response?.statusCode {
            first += " \(status)"
        } else {
            first += metrics == nil ? " not sent" : " no response"
        }
        var parts = [first]
        if let metrics {
            parts.append(milliseconds(metrics.taskInterval.duration))
            parts += sizes(context, metrics.transactionMetrics.last)
            if let isReused = metrics.transactionMetrics.last?.isReusedConnection {
                parts.append(isReused ? "reused connection" : "new connection")
            }
            if let word = metrics.transactionMetrics.last?.source.word { parts.append(word) }
            if metrics.redirectCount > 0 { parts.append(metrics.redirectCount == 1 ? "1 redirect" : "\(metrics.redirectCount) redirects") }
        }
        if context.retryCount > 0 { parts.append("\(context.retryCount + 1) attempts") }
        return (parts.joined(separator: ", ") + (error.map { ": \(message(of: $0))" } ?? "")).onOneLine
    }

    /// What happened, without the request.
    static func message(of error: any Error) -> String {
        (error as? FirewheelError)?.message ?? FirewheelError.words(of: error)
    }

    /// The sizes of the bodies of the last hop.
    private static func sizes(_ context: RequestContext, _ hop: TransactionMetrics?) -> [String] {
        var parts: [String] = []
        if let sent = hop?.countOfRequestBodyBytesSent, sent > 0 { parts.append("\(sent) bytes sent") }
        let decoded = hop?.countOfResponseBodyBytesAfterDecoding ?? context.bodySize.map { Int64($0) } ?? context.fileURL.flatMap(size)
        if let received = hop?.countOfResponseBodyBytesReceived ?? decoded {
            parts.append("\(received) bytes received" + (decoded.map { $0 == received ? "" : " (\($0) decoded)" } ?? ""))
        }
        return parts
    }

    /// The request as a curl command, with a body only up to the limit of the log.
    static func command(_ context: RequestContext) -> String? {
        guard let request = context.request else { return nil }
        let command = CURLCommand.text(for: request, showsSecrets: false, bodyLimit: maximumBodyBytes, showsBinary: false)
        let lines = command.split(separator: "\n", omittingEmptySubsequences: false)
        return text(context.retryCount == 0 ? "started" : "attempt \(context.retryCount + 1)", lines)
    }

    /// The head of the last response.
    static func head(_ context: RequestContext, redirectedTo next: URLRequest? = nil) -> String? {
        guard let response = context.response else { return nil }
        let target = next.map { ", redirected to \(Redaction.line(of: $0))" } ?? ""
        return text("response \(response.statusCode)\(target)", Redaction.headers(response.headers).map { "\($0.name): \($0.value)" })
    }

    /// The received body, if any: its size and type, and its content if that is text.
    static func body(_ context: RequestContext) -> String? {
        guard let shown = context.data, let size = context.bodySize, size > 0 else { return nil }
        let headers = context.response?.headers
        let type = headers?.singleton("Content-Type")
        let title = (["body of \(size) bytes", type, headers?["Content-Encoding"]].compactMap { $0 }).joined(separator: ", ")
        let isCut = shown.count < size
        guard let body = ShownText.of(shown, contentType: type, isCut: isCut) else { return title.onOneLine }
        let lines = Redaction.body(body, contentType: type).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return text(title + (isCut ? ", of which the first \(maximumBodyBytes)" : ""), lines)
    }

    static func file(_ url: URL) -> String {
        "saved \(size(url).map { "\($0) bytes" } ?? "the body") to \(url.path)".onOneLine
    }

    private static func size(_ file: URL) -> Int64? {
        (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber)?.int64Value
    }

    /// A first line and further lines, each escaped except for tabs.
    private static func text(_ first: String, _ lines: [some StringProtocol]) -> String {
        lines.reduce(first.onOneLine) { text, line in
            let line = line.hasPrefix("\t") ? line.dropFirst() : line[...]
            let pieces = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).onOneLine }
            return text + "\n\t" + pieces.joined(separator: "\t")
        }
    }
}
