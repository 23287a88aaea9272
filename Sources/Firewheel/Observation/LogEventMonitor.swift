import Foundation

/// A monitor that logs requests as text. It is created with a leading dot, for a session or for one request:
///
/// ```swift
/// let session = Session(eventMonitors: [.log()])
/// session.request("https://api.example.com/users").eventMonitor(.log(.verbose)).responseData { _ in }
/// ```
/// Credentials are redacted at every level of detail. Control characters and line breaks in outside text are escaped, so that a server
/// cannot forge lines.
public struct LogEventMonitor: EventMonitor {
    /// How much is written.
    public enum Detail: Sendable, Hashable {
        /// One line per request when its outcome is final: method, URL, status, duration since the first `resume()`, sizes of the bodies,
        /// whether the connection was reused, `cached`, `revalidated` or `stale` for a response of the session's cache, the number of
        /// redirects, the number of attempts if above 1, and the error.
        case line
        /// Also the request as a curl command, that it waits for the network, the head of each response, and bodies that are text, up to
        /// 10,000 bytes of each.
        case verbose
    }

    public let queue: DispatchQueue?
    private let detail: Detail
    private let write: @Sendable (String) -> Void

    /// See ``EventMonitor/log(_:to:)``.
    public init(_ detail: Detail = .line, to write: @escaping @Sendable (String) -> Void = LogEventMonitor.standardError) {
        self.detail = detail
        self.write = write
        // One queue for all sessions and requests that it is installed in, so that texts are written one at a time.
        queue = DispatchQueue(label: "firewheel.log")
    }

    /// Writes a text and a line break to standard error as a whole, so that lines of several threads do not mix. It never fails: if
    /// standard error is closed, the text is lost.
    public static func standardError(_ text: String) {
        StandardError.write(text + "\n")
    }

    /// Whether an event is logged.
    var shownBodyBytes: Int { detail == .verbose ? LogText.maximumBodyBytes : 0 }

    func hears(_ event: RequestEvent) -> Bool {
        switch event {
        case .finish: true
        case .createURLRequest, .redirect, .receiveResponse, .completeTask, .saveFile, .retry, .waitForConnectivity: detail == .verbose
        default: false
        }
    }

    public func request(_ context: RequestContext, did event: RequestEvent) {
        guard hears(event) else { return }
        if let warning = context.warning?.withLock({ $0.take() }) { write(warning.onOneLine) }
        guard let text = text(of: event, context) else { return }
        write(detail == .verbose ? "request \(context.id): \(text)" : text)
    }

    private func text(of event: RequestEvent, _ context: RequestContext) -> String? {
        switch event {
        case .createURLRequest: LogText.command(context)
        case .redirect(let next): LogText.head(context, redirectedTo: next)
        case .waitForConnectivity: "waits for the network"
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
    /// A monitor that logs one line for each request, or the request and its response in full.
    ///
    /// - Parameters:
    ///   - detail: How much is written. Default: `.line`.
    ///   - write: Receives the texts, in order and one at a time. With `.verbose` a text may have several lines; all but the first begin
    ///     with a tab. Default: standard error, see ``LogEventMonitor/standardError(_:)``.
    public static func log(
        _ detail: LogEventMonitor.Detail = .line, to write: @escaping @Sendable (String) -> Void = LogEventMonitor.standardError
    ) -> LogEventMonitor {
        LogEventMonitor(detail, to: write)
    }
}
