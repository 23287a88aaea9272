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
    ///   - body: Sent with every connection; its `Content-Type` belongs in `headers`. Default: nil, none.
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
        let options = EventSource.Options(
            lastEventID: lastEventID, reconnection: reconnection, idleTimeout: idleTimeout, maximumEventSize: maximumEventSize,
            interceptor: interceptor)
        return eventSource(headers, options) { fields in
            let modify: RequestModifier = { request in
                request.httpBody = body
                try requestModifier?(&request)
            }
            return .url(url, method: method, headers: fields, encode: nil, modifier: body == nil ? requestModifier : modify)
        }
    }

    /// Creates a feed of server-sent events, with named parameters that each connection sends.
    ///
    /// What is not listed is as without parameters.
    ///
    /// - Parameters:
    ///   - url: A relative URL is resolved against the session's `baseURL`.
    ///   - method: Default: GET.
    ///   - parameters: nil for none.
    ///   - encoding: Default: nil: URL-encoded in the query for GET, HEAD and DELETE, and for other methods in the body, in the session's
    ///     ``SessionConfiguration/parameterFormat``. Parameters that cannot be encoded end the source: `parameterEncodingFailed`.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - lastEventID: The last event that was received earlier. Default: nil, none.
    ///   - reconnection: When the source connects again. Default: ``EventSource/Reconnection/resilient``.
    ///   - idleTimeout: The seconds without a byte after which a connection counts as lost. Default: nil, no limit once the head has come.
    ///   - maximumEventSize: The most bytes of an event. Default: 16 MiB.
    ///   - interceptor: Adapts and retries the request of each connection, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request of each connection before its parameters are encoded. Default: nil.
    public func eventSource(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters?, encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, lastEventID: String? = nil, reconnection: EventSource.Reconnection = .resilient,
        idleTimeout: TimeInterval? = nil, maximumEventSize: Int = EventSource.defaultMaximumEventSize,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> EventSource {
        let options = EventSource.Options(
            lastEventID: lastEventID, reconnection: reconnection, idleTimeout: idleTimeout, maximumEventSize: maximumEventSize,
            interceptor: interceptor)
        return eventSource(headers, options) { fields in
            self.source(url, method, parameters, encoding, fields, requestModifier)
        }
    }

    /// Creates a feed of server-sent events, with an encodable value that each connection sends as its parameters.
    ///
    /// Without an encoder it is URL-encoded in the query for GET, HEAD and DELETE, and for other methods in the body, in the session's
    /// ``SessionConfiguration/parameterFormat``. The rest is as with named parameters.
    public func eventSource<Value: Encodable & Sendable>(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Value?, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders? = nil, lastEventID: String? = nil, reconnection: EventSource.Reconnection = .resilient,
        idleTimeout: TimeInterval? = nil, maximumEventSize: Int = EventSource.defaultMaximumEventSize,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> EventSource {
        let options = EventSource.Options(
            lastEventID: lastEventID, reconnection: reconnection, idleTimeout: idleTimeout, maximumEventSize: maximumEventSize,
            interceptor: interceptor)
        return eventSource(headers, options) { fields in
            self.source(url, method, parameters, encoder, fields, requestModifier)
        }
    }

    /// - Parameters:
    ///   - headers: The caller's.
    ///   - source: Makes the input for a connection's request from its header fields.
    func eventSource(
        _ headers: HTTPHeaders?, _ options: EventSource.Options, clock: EventClock = .system,
        source: @escaping @Sendable (HTTPHeaders) -> RequestSource
    ) -> EventSource {
        var fields: HTTPHeaders = ["Accept": "text/event-stream", "Cache-Control": "no-cache"]
        for field in headers ?? [:] { fields.update(field) }
        let plain = fields
        let feed = EventFeed(
            lastEventID: options.lastEventID, maximumEventSize: options.maximumEventSize, reconnection: options.reconnection,
            registry: engine.series, clock: clock
        ) { lastEventID in
            var fields = plain
            if let lastEventID, lastEventID.isFieldValue { fields.update(name: "Last-Event-ID", value: lastEventID) }
            return self.streamRequest(source(fields), false, options.interceptor).configure { request in
                // 0 is no limit.
                request.totalTimeout = 0
                request.idleTimeout = options.idleTimeout
                request.allowsQuietBody = options.idleTimeout == nil
            }
            .addValidator(.library) { outcome in
                EventStreamHead.error(statusCode: outcome.statusCode, contentType: outcome.headers.singleton("Content-Type"))
            }
        }
        return EventSource(feed)
    }
}

extension EventSource {
    /// What the forms of `eventSource` have in common.
    struct Options: Sendable {
        var lastEventID: String?
        var reconnection = Reconnection.resilient
        var idleTimeout: TimeInterval?
        var maximumEventSize = EventSource.defaultMaximumEventSize
        var interceptor: (any RequestInterceptor)?
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
