import Foundation

/// How a session's requests are made: a value that is read once, when the session is.
public struct SessionConfiguration: Sendable {
    /// The configuration of `Session.default`.
    public static var `default`: SessionConfiguration { SessionConfiguration() }

    /// A configuration for sessions that keep nothing on disk, and nothing beyond their own end. That is so of the default one too: the
    /// name is there for code that says so.
    public static var ephemeral: SessionConfiguration { SessionConfiguration() }

    /// What relative URLs are resolved against (RFC 3986 section 5). A slash is appended to its path if it has none at its end, so that
    /// `"users"` against `https://example.com/v1` is `https://example.com/v1/users`. Default: nil, and a relative URL is `invalidURL`.
    public var baseURL: URL?

    /// Headers of every request; a request's own headers are set over them. Default: `HTTPHeaders.default`.
    public var headers: HTTPHeaders = .default

    /// The idle timeout: seconds without a byte in either direction after which a request fails with `timedOut`. Fractions count; 0 is no
    /// limit. It stands still while a request is suspended, waits for a connection or for a decision about its response.
    /// `Request.timeout(idle:total:)` goes before it. Default: 60.
    public var timeoutIntervalForRequest: TimeInterval = 60

    /// The resource timeout: seconds from the start of a request after which it fails with `timedOut`, whatever it is waiting for. Retries
    /// with their delays, redirects and suspensions are included. Fractions count; 0 is no limit. `Request.timeout(idle:total:)` goes
    /// before it. Default: 7 days.
    public var timeoutIntervalForResource: TimeInterval = 7 * 24 * 60 * 60

    /// Seconds that looking up the host, connecting and the TLS handshake may take together. Fractions count. Default: nil, and
    /// `timeoutIntervalForRequest` holds there too.
    public var connectTimeout: TimeInterval?

    /// How many requests run at once to one scheme, host and port, each on its own connection; the others wait in their order. A suspended
    /// one keeps its place. Over HTTP/2 up to 100 share a connection instead, on Linux with libcurl 8.5. Values below 1 count as 1.
    /// Default: 64.
    public var maximumConnectionsPerHost = 64

    /// Seconds after the last request on a connection at which it is closed. Counted in whole seconds, rounded up, and up to three more may
    /// pass. What is not above 0, or not a number, is no limit. Shorter than the servers' own time for it is best: a request that goes out
    /// as the server closes may fail. Default: 60, as in AsyncHTTPClient.
    public var idleConnectionTimeout: TimeInterval = 60

    /// Seconds after which a connection is used for no more requests, and closed when none is on it, so that changes of a host's addresses
    /// and certificate are noticed. A connection of HTTP/2 that always has a request on it goes on. Counted as in
    /// ``idleConnectionTimeout``. Default: nil, no limit.
    public var maximumConnectionLifetime: TimeInterval?

    /// The most bytes that the body of a response may have, after decoding; more is `responseBodyTooLarge`. Default: nil, no limit.
    public var maximumResponseBodySize: Int?

    /// What is done with cookies. Default: each session keeps its own, in memory. A request's own `Cookie` field is sent instead of those
    /// that are kept.
    public var cookies: CookieUse = .perSession

    /// What decodes the bodies of responses where a call names no decoder: `responseDecodable`, `serializingDecodable`, the serializer
    /// `.decodable`, and ``FirewheelError/decodeResponse(as:decoder:)``. Requests may use it at the same time. Default: a `JSONDecoder`.
    public var decoder: any DataDecoder = JSONDecoder()

    /// How parameters are written into bodies where a call names no encoding or encoder. Default: URL-encoded.
    public var parameterFormat: ParameterFormat = .form

    /// How responses are validated where a request has no `validate` of its own. Default: not at all, and every response is a success.
    public var validation: ResponseValidation = .none

    /// A configuration with every default.
    public init() {}
}

extension SessionConfiguration: CustomStringConvertible, CustomReflectable {
    /// Every property, credentials in header fields and in the URL redacted.
    public var description: String {
        "SessionConfiguration(" + customMirror.children.map { "\($0.label ?? ""): \($0.value)" }.joined(separator: ", ") + ")"
    }

    /// What `dump` and debuggers show: every property, credentials redacted.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "baseURL": baseURL.map { Redaction.url($0.absoluteString) } ?? "nil", "headers": headers.map(\.description),
                "timeoutIntervalForRequest": timeoutIntervalForRequest, "timeoutIntervalForResource": timeoutIntervalForResource,
                "connectTimeout": connectTimeout as Any, "maximumConnectionsPerHost": maximumConnectionsPerHost,
                "idleConnectionTimeout": idleConnectionTimeout, "maximumConnectionLifetime": maximumConnectionLifetime as Any,
                "maximumResponseBodySize": maximumResponseBodySize as Any, "cookies": cookies,
                // Its type alone: one of the caller's own may hold anything.
                "decoder": type(of: decoder), "parameterFormat": parameterFormat, "validation": validation,
            ], displayStyle: .struct)
    }
}
