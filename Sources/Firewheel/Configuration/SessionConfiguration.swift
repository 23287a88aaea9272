import Foundation

/// The options of a session: a value that is read when the session is created.
public struct SessionConfiguration: Sendable {
    /// The configuration of `Session.default`.
    public static var `default`: SessionConfiguration { SessionConfiguration() }

    /// A configuration for sessions that store nothing on disk, and nothing beyond their lifetime. The default one is the same; the name
    /// exists for compatibility.
    public static var ephemeral: SessionConfiguration { SessionConfiguration() }

    /// The base of relative URLs (RFC 3986 section 5). A slash is appended to its path if it does not end with one, so that `"users"` with
    /// `https://example.com/v1` is `https://example.com/v1/users`. Default: nil, with which a relative URL is `invalidURL`.
    public var baseURL: URL?

    /// Headers of every request; a request's own headers override them. Default: `HTTPHeaders.default`.
    public var headers: HTTPHeaders = .default

    /// The idle timeout: seconds without a byte in either direction after which a request fails with `timedOut`. Fractions count; 0 means
    /// no limit. It does not run while a request is suspended, waits for a connection, or waits for a decision about its response.
    /// `Request.timeout(idle:total:)` overrides it. Default: 60.
    public var timeoutIntervalForRequest: TimeInterval = 60

    /// The resource timeout: seconds from the start of a request after which it fails with `timedOut` at any stage. Retries with their
    /// delays, redirects and suspensions are included. Fractions count; 0 means no limit. `Request.timeout(idle:total:)` overrides it.
    /// Default: 7 days.
    public var timeoutIntervalForResource: TimeInterval = 7 * 24 * 60 * 60

    /// The connect timeout: seconds for name lookup, connecting and the TLS handshake together. Fractions count. Default: nil, with which
    /// `timeoutIntervalForRequest` applies.
    public var connectTimeout: TimeInterval?

    /// The longest wait for a connection, in seconds: a request that waits longer fails with `timedOut`. A request waits if all
    /// ``maximumConnectionsPerHost`` are in use. Over https it also waits while the first connection to a server is being opened, which
    /// shows whether requests can share it. The limit begins anew for each hop, and does not run while the request is suspended. Fractions
    /// count. Zero, negative numbers and NaN mean no limit. URLSession ignores it, because it does not say when a request waits: there
    /// `timeoutIntervalForRequest` runs in that time. Default: nil, no limit but that of `timeoutIntervalForResource`.
    public var connectionWaitTimeout: TimeInterval?

    /// Whether a request waits if this machine has no network. Otherwise it fails with `notConnectedToInternet`.
    ///
    /// It waits if no connection can be opened because there is no route to the server or its proxy, or if a name cannot be looked up while
    /// there is no default route, and goes on by itself when the network is back. Monitors get ``RequestEvent/waitForConnectivity``. Only
    /// the resource timeout limits the wait: see ``timeoutIntervalForResource``. A server that refuses a connection, or does not answer, is
    /// an error as always. ``URLSessionTransport`` does not support it on Linux: its requests fail. Default: false. See also
    /// ``OfflineRetrier``.
    public var waitsForConnectivity = false

    /// The most connections to one scheme, host and port. Over HTTP/1.1 each has one request at a time, over HTTP/2 as many as the server
    /// allows. Other requests wait in order. A suspended request keeps its place. Values below 1 count as 1. Default: 64.
    public var maximumConnectionsPerHost = 64

    /// The most connections to all hosts together, with those that are being opened. If all are in use, the hosts with the fewest
    /// connections come first: one without any gets the place of a connection that ends a request, however many requests to other hosts
    /// wait. A host's only connection may have a few more requests before that. Idle connections to other hosts are closed to make room.
    /// Values below 1 count as 1. ``URLSessionTransport`` does not support it: its requests fail. Default: nil, no limit.
    public var maximumTotalConnections: Int?

    /// Seconds after which an idle connection is closed. Fractions count. Zero, negative numbers and NaN mean no limit. Should be shorter
    /// than the servers' own limit, because a request that is sent while the server closes the connection may fail. Default: 60, as in
    /// AsyncHTTPClient.
    public var idleConnectionTimeout: TimeInterval = 60

    /// Seconds after which a connection accepts no more requests and is closed when it has none, so that changes of a host's addresses and
    /// certificate take effect. Counted as in ``idleConnectionTimeout``. Default: nil, no limit.
    public var maximumConnectionLifetime: TimeInterval?

    /// Whom the session trusts over TLS, and which versions of TLS it speaks. ``URLSessionTransport`` supports the default only; with
    /// anything else its requests fail. Default: the system's authorities, and TLS 1.2 or later.
    public var tls = TLSConfiguration()

    /// The proxy of the session's requests. Default: those of the system.
    public var proxy = ProxyConfiguration.system

    /// The Unix socket that all connections of the session lead to, whatever the host of the URL: a path, such as `/var/run/docker.sock`,
    /// or an abstract name behind `@` or NUL, as `ss` prints it or the system has it (`./@name` is a file). The scheme of a URL still
    /// decides whether TLS is spoken, and its host which certificate, `Host` field and cookies are used:
    /// `http://localhost/v1.43/containers/json`.
    ///
    /// The proxies of the system are not used then. Requests fail with `transportFailed(.resourceUnavailable)` if the path or name has more
    /// than 107 bytes, or if ``proxy``, ``hosts`` or ``addressFamily`` is set as well. ``URLSessionTransport`` does not support it: its
    /// requests fail. Default: nil, for TCP.
    public var unixSocketPath: String?

    /// Other hosts to connect to, in place of those of URLs, similar to curl's `--connect-to`.
    ///
    /// A key is a host, `"api.example.com"`, or a host with a port, `"api.example.com:443"`, which takes precedence. A value is the name or
    /// address to connect to, with a port or without one: `["api.example.com:443": "127.0.0.1:8443"]`. Without one the port of the URL is
    /// used. An IPv6 address with a port has brackets. Only the connection changes: the certificate, `Host`, redirects and cookies are
    /// those of the URL's host. If a proxy is used, it is asked to connect to the value, for http URLs too.
    ///
    /// A value is looked up among the keys in turn, which curl does not do. A request whose entries form a loop, and every request if an
    /// entry is not valid, fails with `transportFailed(.resourceUnavailable)`. ``URLSessionTransport`` does not support it: requests to
    /// which an entry applies fail. Default: none.
    public var hosts: [String: String] = [:]

    /// Which addresses of hosts and proxies are looked up and connected to. A URL with an address of the other family fails with
    /// `transportFailed(.cannotConnectToHost)`. A proxy that looks up the names of servers chooses their addresses on its own.
    /// ``URLSessionTransport`` does not support it: its requests fail. Default: any.
    public var addressFamily = AddressFamily.any

    /// Which versions of HTTP the session speaks. URLSession decides itself and ignores it. Default: automatic.
    public var httpVersions = HTTPVersions.automatic

    /// Which bodies of requests wait for the server's consent. URLSession decides itself and ignores it. Default: those above 1 MiB, and
    /// those of unknown length.
    public var expectsContinue = ContinueExpectation.above(1 << 20)

    /// The most bytes a second of all requests of the session together. `Request.bandwidth(upload:download:)` limits a single one. Default:
    /// no limit.
    public var bandwidth = Bandwidth()

    /// Whether the content codings of responses are undone: gzip, deflate, br and zstd (RFC 9110 section 8.4).
    ///
    /// If true, a body with any other coding, such as `aws-chunked`, is handed over as it was sent. If false, every body is handed over as
    /// it was sent, and no `Accept-Encoding` is sent but the caller's own. `Request.decodesContent(_:)` overrides it. A download that is
    /// resumed from coded bytes is never decoded. URLSession always undoes the codings that it knows: see ``URLSessionTransport``. Default:
    /// true.
    public var decodesContent = true

    /// The cache of responses. Sessions of one user may share it. ``DataResponse/source`` tells where a response comes from. Default: nil,
    /// no cache.
    public var cache: HTTPCache?

    /// Whether a GET waits for an identical one that is under way, and is answered by its stored response. It waits only while that
    /// response may turn out to be one that the cache stores and that is fresh; otherwise it is sent. Needs a ``cache``: without one,
    /// requests fail with `transportFailed(.resourceUnavailable)`. Default: false.
    public var deduplicatesRequests = false

    /// How requests use the cache, unless their `URLRequest` has a `cachePolicy` of its own, other than the default.
    ///
    /// - `useProtocolCachePolicy`: as RFC 9111 has it.
    /// - `reloadIgnoringLocalCacheData`: the server answers, and its response is stored.
    /// - `reloadIgnoringLocalAndRemoteCacheData`: the same, with `Cache-Control: no-cache` for caches on the way, also without a cache of
    ///   the session's.
    /// - `reloadRevalidatingCacheData`: a stored response is used if the server confirms it. `Cache-Control: max-age=0` is sent, so that
    ///   caches on the way ask, too.
    /// - `returnCacheDataElseLoad`: a stored response is used, however old.
    /// - `returnCacheDataDontLoad`: the same, and without one the request fails with `transportFailed(.resourceUnavailable)`.
    ///
    /// Default: `useProtocolCachePolicy`.
    public var requestCachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy

    /// The most bytes of a decoded response body; more is `responseBodyTooLarge`. Default: nil, no limit.
    public var maximumResponseBodySize: Int?

    /// The folder for the files of downloads until they are moved to their destinations. It must exist; otherwise a download fails with
    /// `downloadedFileWriteFailed`. If it is on the destinations' file system, a file is renamed to its destination and not copied.
    /// Default: nil, the system's temporary folder.
    public var temporaryDirectory: URL?

    /// How cookies are handled. Default: each session stores its own, in memory. A request's own `Cookie` field replaces stored cookies.
    public var cookies: CookieUse = .perSession

    /// The decoder of `responseDecodable`, `serializingDecodable`, the serializer `.decodable` and
    /// ``FirewheelError/decodeResponse(as:decoder:)`` when a call passes none. Requests may use it concurrently. Default: a `JSONDecoder`.
    public var decoder: any DataDecoder = JSONDecoder()

    /// How parameters are encoded in bodies when a call passes no encoding or encoder. Default: URL-encoded.
    public var parameterFormat: ParameterFormat = .form

    /// How responses are validated when a request has no `validate` of its own. Default: no validation, so every response is a success.
    public var validation: ResponseValidation = .none

    /// A configuration with every default.
    public init() {}
}

extension SessionConfiguration: CustomStringConvertible, CustomReflectable {
    /// Every property, with credentials in header fields and in the URL redacted.
    public var description: String {
        "SessionConfiguration(" + customMirror.children.map { "\($0.label ?? ""): \($0.value)" }.joined(separator: ", ") + ")"
    }

    /// What `dump` and debuggers show: every property, with credentials redacted.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "baseURL": baseURL.map { Redaction.url($0.absoluteString) } ?? "nil", "headers": headers.map(\.description),
                "timeoutIntervalForRequest": timeoutIntervalForRequest, "timeoutIntervalForResource": timeoutIntervalForResource,
                "connectTimeout": connectTimeout as Any, "connectionWaitTimeout": connectionWaitTimeout as Any,
                "waitsForConnectivity": waitsForConnectivity,
                "maximumConnectionsPerHost": maximumConnectionsPerHost, "maximumTotalConnections": maximumTotalConnections as Any,
                "idleConnectionTimeout": idleConnectionTimeout, "maximumConnectionLifetime": maximumConnectionLifetime as Any,
                "tls": tls, "proxy": proxy, "unixSocketPath": unixSocketPath as Any,
                "hosts": Dictionary(hosts.map { (Redaction.host($0), Redaction.host($1)) }) { first, _ in first },
                "addressFamily": addressFamily,
                "httpVersions": httpVersions, "expectsContinue": expectsContinue, "bandwidth": bandwidth,
                "decodesContent": decodesContent, "cache": cache.map { _ in "HTTPCache" } as Any,
                "deduplicatesRequests": deduplicatesRequests,
                "requestCachePolicy": requestCachePolicy, "maximumResponseBodySize": maximumResponseBodySize as Any,
                "temporaryDirectory": temporaryDirectory.map { Redaction.url($0.absoluteString) } ?? "nil", "cookies": cookies,
                // Only the type is printed, since a custom decoder may hold secrets.
                "decoder": type(of: decoder), "parameterFormat": parameterFormat, "validation": validation,
            ], displayStyle: .struct)
    }
}
