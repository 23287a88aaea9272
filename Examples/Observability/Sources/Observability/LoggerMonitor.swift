import Firewheel
import Logging

/// Logs requests with swift-log: one record when a request has ended, with its parts as metadata, and the curl command for debugging.
///
/// If a line of text is enough, use `Session(eventMonitors: [.log { logger.info("\($0)") }])`.
struct LoggerMonitor: EventMonitor {
    let logger: Logger

    func request(_ context: RequestContext, did event: RequestEvent) {
        switch event {
        case .createURLRequest:
            // Built only if the level is wanted.
            logger.debug("\(context.cURLDescription())", metadata: ["request.id": "\(context.id)"])
        case .retry(let delay, let error):
            logger.notice("retrying in \(delay) s: \(error)", metadata: metadata(of: context))
        case .finish(let error?):
            logger.error("request failed: \(error)", metadata: metadata(of: context))
        case .finish:
            logger.info("request finished", metadata: metadata(of: context))
        default:
            logger.trace("\(event)", metadata: ["request.id": "\(context.id)"])
        }
    }

    private func metadata(of context: RequestContext) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["request.id": "\(context.id)", "request.attempt": "\(context.retryCount)"]
        if let request = context.request {
            metadata["http.request.method"] = "\(request.httpMethod ?? "GET")"
            metadata["url.full"] = "\(request.redactedURL ?? "")"
        }
        if let response = context.response { metadata["http.response.status_code"] = "\(response.statusCode)" }
        if let data = context.data { metadata["http.response.body.size"] = "\(data.count)" }
        if let metrics = context.metrics { metadata["duration"] = "\(metrics.taskInterval.duration)" }
        return metadata
    }
}
