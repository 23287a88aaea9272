import Firewheel
import Foundation
import Synchronization
import Tracing

/// Traces requests with swift-distributed-tracing: one client span for each exchange, and so for each attempt and each redirect, with the
/// attributes of OpenTelemetry's conventions for HTTP clients.
///
/// ```swift
/// let tracing = TracingMonitor(tracer: InstrumentationSystem.tracer)
/// let session = Session(interceptor: tracing, redirectHandler: tracing, eventMonitors: [tracing])
/// ```
/// It has three parts. As an adapter and as a redirect handler it starts the spans, and adds the context of each to the request (with most
/// tracers in the field `traceparent`). As a monitor it ends them, with the attributes known by then. The parent of the spans is the span
/// in which the request was started.
final class TracingMonitor: EventMonitor, RequestInterceptor, RedirectHandler {
    let queue = DispatchQueue(label: "tracing")
    private let tracer: any Tracer
    private let knownMethods: Set<String>
    private let state = Mutex<[UInt64: Spans]>([:])

    /// The spans of one request.
    private struct Spans {
        /// The open spans in the order of their exchanges, by the number of the attempt.
        var open: [Int: [any Span]] = [:]
        /// The number of ended exchanges.
        var sent = 0
    }

    /// - Parameter knownMethods: The methods that are recorded unchanged. Default: those of RFC 9110, and PATCH.
    init(
        tracer: any Tracer,
        knownMethods: Set<String> = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]
    ) {
        self.tracer = tracer
        self.knownMethods = knownMethods
    }

    // MARK: Starting spans

    func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
        // A span started after the end of its request would stay open.
        try Task.checkCancellation()
        return startSpan(for: urlRequest, context)
    }

    func redirect(_ context: RequestContext, to request: URLRequest, for response: HTTPURLResponse) async throws -> URLRequest? {
        try Task.checkCancellation()
        return startSpan(for: request, context)
    }

    private func startSpan(for urlRequest: URLRequest, _ context: RequestContext) -> URLRequest {
        let method = urlRequest.httpMethod ?? "GET"
        let span = tracer.startSpan(knownMethods.contains(method) ? method : "HTTP", ofKind: .client)
        span.updateAttributes { describe(urlRequest, in: &$0) }
        state.withLock { $0[context.id, default: Spans()].open[context.retryCount, default: []].append(span) }
        var request = urlRequest
        tracer.inject(span.context, into: &request.headers, using: HeaderInjector())
        return request
    }

    private struct HeaderInjector: Injector {
        func inject(_ value: String, forKey key: String, into carrier: inout HTTPHeaders) {
            carrier[key] = value
        }
    }

    // MARK: Ending spans

    func request(_ context: RequestContext, did event: RequestEvent) {
        switch event {
        case .completeTask(let error):
            let (spans, sent) = state.withLock { state in
                let spans = state[context.id]?.open.removeValue(forKey: context.retryCount) ?? []
                defer { state[context.id]?.sent += spans.count }
                return (spans, state[context.id]?.sent ?? 0)
            }
            let exchanges = context.metrics?.transactionMetrics ?? []
            for (index, span) in spans.enumerated() {
                let exchange = index < exchanges.count ? exchanges[index] : nil
                end(span, exchange, resendCount: sent + index, error: index == spans.count - 1 ? error : nil)
            }
        case .finish(let error):
            // A span that is still open belongs to an exchange that was never sent.
            let left = state.withLock { $0.removeValue(forKey: context.id)?.open ?? [:] }
            for span in left.values.joined() { end(span, nil, resendCount: 0, error: error) }
        default:
            break
        }
    }

    private func end(_ span: any Span, _ exchange: TransactionMetrics?, resendCount: Int, error: (any Error)?) {
        span.updateAttributes { attributes in
            // The request as sent, since later adapters may have changed it.
            if let exchange { describe(exchange, in: &attributes) }
            if resendCount > 0 { attributes["http.request.resend_count"] = resendCount }
        }
        let status = exchange?.response?.statusCode
        if let error {
            span.updateAttributes { $0["error.type"] = errorType(error) }
            span.recordError(error)
            span.setStatus(SpanStatus(code: .error))
        } else if let status, status >= 400 {
            span.updateAttributes { $0["error.type"] = "\(status)" }
            span.setStatus(SpanStatus(code: .error))
        }
        guard let end = exchange?.responseEndDate?.timeIntervalSince1970, end > 0, end < 1e10 else { return span.end() }
        span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: UInt64(end * 1e9)))
    }

    // MARK: Attributes

    private func describe(_ request: URLRequest, in attributes: inout SpanAttributes) {
        let method = request.httpMethod ?? "GET"
        let isKnown = knownMethods.contains(method)
        attributes["http.request.method"] = isKnown ? method : "_OTHER"
        if !isKnown { attributes["http.request.method_original"] = method }
        guard let url = request.url else { return }
        attributes["server.address"] = url.host
        attributes["server.port"] = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        attributes["url.full"] = request.redactedURL
    }

    private func describe(_ exchange: TransactionMetrics, in attributes: inout SpanAttributes) {
        describe(exchange.request, in: &attributes)
        if let status = exchange.response?.statusCode { attributes["http.response.status_code"] = status }
        if let address = exchange.remoteAddress {
            attributes["network.peer.address"] = address
            if let port = exchange.remotePort { attributes["network.peer.port"] = port }
        }
        if let name = exchange.networkProtocolName {
            let versions = ["http/1.0": "1.0", "http/1.1": "1.1", "h2": "2", "h2c": "2", "h3": "3"]
            attributes["network.protocol.name"] = "http"
            if let version = versions[name] { attributes["network.protocol.version"] = version }
        }
    }

    /// The error's type, from a small set of values.
    private func errorType(_ error: any Error) -> String {
        guard let error = error as? FirewheelError else { return "\(type(of: error))" }
        if error.isExplicitlyCancelled { return "cancelled" }
        if error.isTimeout { return "timeout" }
        if error.isServerTrustEvaluationError { return "server_certificate_invalid" }
        if error.urlErrorCode == .cannotFindHost { return "name_resolution_error" }
        if let code = error.urlErrorCode { return "URLError.\(code.rawValue)" }
        return "FirewheelError"
    }
}
