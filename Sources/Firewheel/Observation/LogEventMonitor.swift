import Foundation

/// A monitor that writes what requests do, as text. It is made with a leading dot, for a session or for one request:
///
/// ```swift
/// let session = Session(eventMonitors: [.log()])
/// session.request("https://api.example.com/users").eventMonitor(.log(.verbose)).responseData { _ in }
/// ```
/// Credentials are redacted, whatever the detail. Control characters and line breaks that come from elsewhere are escaped, so that a server
/// cannot make a line of its own.
public struct LogEventMonitor: EventMonitor {
    /// How much is written.
    public enum Detail: Sendable, Hashable {
        /// One line a request, when its outcome is final: method, URL, status, duration from the first `resume()`, bytes of the bodies,
        /// whether the connection was reused, redirects and attempts if there was more than one, and the error.
        case line
        /// Also the request as a command of curl, the head of each response, and bodies that are text, of those above 10,000 bytes the
        /// beginning.
        case verbose
    }

    public let queue: DispatchQueue?
    private let detail: Detail
    private let write: @Sendable (String) -> Void

    /// See ``EventMonitor/log(_:to:)``.
    public init(_ detail: Detail = .line, to write: @escaping @Sendable (String) -> Void = LogEventMonitor.standardError) {
        self.detail = detail
        self.write = write
        // One queue wherever it is installed, so that texts come one at a time.
        queue = DispatchQueue(label: "firewheel.log")
    }

    /// Writes a text and a line break to standard error, whole: lines of several threads do not mix. It never fails: where standard error is
    /// closed, the text is lost.
    public static func standardError(_ text: String) {
        StandardError.write(text + "\n")
    }

    /// Whether there is anything to write about an event.
    func hears(_ event: RequestEvent) -> Bool {
        switch event {
        case .finish: true
        case .createURLRequest, .redirect, .receiveResponse, .completeTask, .saveFile, .retry: detail == .verbose
        default: false
        }
    }

    public func request(_ context: RequestContext, did event: RequestEvent) {
        guard hears(event), let text = text(of: event, context) else { return }
        write(detail == .verbose ? "request \(context.id): \(text)" : text)
    }

    private func text(of event: RequestEvent, _ context: RequestContext) -> String? {
        switch event {
        case .createURLRequest: LogText.command(context)
        case .redirect(let next): LogText.head(context, redirectedTo: next)
        case .receiveResponse: LogText.head(context)
        case .completeTask: LogText.body(context)
        case .saveFile(let file): LogText.file(file)
        case .retry(let delay, let error): "retry in \(delay) s: \(LogText.message(of: error))"
        case .finish(let error): LogText.line(context, error: error)
        default: nil
        }
    }
}

extension EventMonitor where Self == LogEventMonitor {
    /// Writes a line for each request, or all that can be read of it.
    ///
    /// - Parameters:
    ///   - detail: How much is written. Default: `.line`.
    ///   - write: Takes the texts, in order and one at a time. With `.verbose` a text may have several lines, of which all but the first begin
    ///     with a tab. Default: standard error, see ``LogEventMonitor/standardError(_:)``.
    public static func log(
        _ detail: LogEventMonitor.Detail = .line, to write: @escaping @Sendable (String) -> Void = LogEventMonitor.standardError
    ) -> LogEventMonitor {
        LogEventMonitor(detail, to: write)
    }
}
