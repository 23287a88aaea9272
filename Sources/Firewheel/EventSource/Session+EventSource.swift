import Foundation

extension Session {
    /// Creates a feed of server-sent events. It connects when its first event is asked for, or a handler of events is attached.
    ///
    /// Each connection is a request of this session, with its interceptors, redirects, cookies and monitors, and with
    /// `Accept: text/event-stream` and `Cache-Control: no-cache` unless `headers` has these fields. There is no resource timeout.
    ///
    /// - Parameters:
    ///   - url: A relative URL is resolved against the session's `baseURL`.
    ///   - method: Default: GET.
    ///   - body: Sent with every connection; its `Content-Type` belongs into `headers`. Default: none.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - lastEventID: The last event that was received earlier, from which the server goes on. Default: nil, none.
    ///   - reconnection: When the source connects again. Default: ``EventSource/Reconnection/resilient``.
    ///   - idleTimeout: The seconds without a byte after which a connection counts as lost. Servers that send comments as a sign of life
    ///     allow one, without which a connection that has vanished silently is not noticed. Default: nil, no limit once the head of the
    ///     response has come; until then it is ``SessionConfiguration/timeoutIntervalForRequest``, as for other requests.
    ///   - maximumEventSize: The most bytes of an event's data, name and ID together; more is final:
    ///     `responseStreamFailed(.eventTooLarge)`. Default: 16 MiB.
    ///   - interceptor: Adapts and retries the request of each connection, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request of each connection. Default: nil.
    public func eventSource(
        _ url: any URLConvertible, method: HTTPMethod = .get, body: Data? = nil, headers: HTTPHeaders? = nil, lastEventID: String? = nil,
        reconnection: EventSource.Reconnection = .resilient, idleTimeout: TimeInterval? = nil,
        maximumEventSize: Int = EventSource.defaultMaximumEventSize, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> EventSource {
        eventSource(
            url, method, body, headers, lastEventID, reconnection, idleTimeout, maximumEventSize, interceptor, requestModifier, .system)
    }

    /// The same with a clock, for tests.
    func eventSource(
        _ url: any URLConvertible, _ method: HTTPMethod, _ body: Data?, _ headers: HTTPHeaders?, _ lastEventID: String?,
        _ reconnection: EventSource.Reconnection, _ idleTimeout: TimeInterval?, _ maximumEventSize: Int,
        _ interceptor: (any RequestInterceptor)?, _ requestModifier: RequestModifier?, _ clock: EventClock
    ) -> EventSource {
        var fields: HTTPHeaders = ["Accept": "text/event-stream", "Cache-Control": "no-cache"]
        for field in headers ?? [:] { fields.update(field) }
        let modify: RequestModifier = { request in
            if let body { request.httpBody = body }
            try requestModifier?(&request)
        }
        let plain = fields
        let feed = EventFeed(
            lastEventID: lastEventID, maximumEventSize: maximumEventSize, reconnection: reconnection,
            registry: engine.series, clock: clock
        ) { lastEventID in
            var fields = plain
            if let lastEventID, lastEventID.isFieldValue { fields.update(name: "Last-Event-ID", value: lastEventID) }
            let request = self.streamRequest(
                url, method: method, headers: fields, interceptor: interceptor, requestModifier: body == nil ? requestModifier : modify)
            return request.configure { options in
                // 0 is no limit.
                options.totalTimeout = 0
                options.idleTimeout = idleTimeout
                options.allowsQuietBody = idleTimeout == nil
            }
            .addValidator(.library) { outcome in
                EventStreamHead.error(statusCode: outcome.statusCode, contentType: outcome.headers.singleton("Content-Type"))
            }
        }
        return EventSource(feed)
    }
}

extension EventSource {
    /// The default limit of an event, in bytes: 16 MiB. An event with an image in base64 has several mebibytes.
    public static let defaultMaximumEventSize = EventStreamParser.defaultMaximumEventSize
}

/// The check of a response's head: a status of 200, and the media type of event streams (HTML standard, section 9.2.3).
enum EventStreamHead {
    /// nil if the response is an event stream.
    static func error(statusCode: Int?, contentType: String?) -> FirewheelError? {
        ResponseChecks.status(statusCode, acceptable: [200])
            ?? ResponseChecks.contentType(contentType, acceptable: ["text/event-stream"]) { false }
    }
}

extension String {
    /// Whether a header field can carry the text (RFC 9110 section 5.5).
    fileprivate var isFieldValue: Bool { !utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") } }
}
