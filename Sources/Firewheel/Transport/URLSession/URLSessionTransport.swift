import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The transport over Foundation's `URLSession`: the one on Apple's systems, where it brings the system's trust, proxies and HTTP/2 and
/// HTTP/3.
///
/// What URLSession does in a way of its own:
/// - It adds `User-Agent`, `Accept-Language` and `Accept-Encoding` to a request that has none, and a form's `Content-Type` to a body
///   without one. The default headers of a session and the encodings say these themselves. The order of the fields is URLSession's.
/// - A GET with a body fails with `dataLengthExceedsMaximum`.
/// - It hands over a response's fields as a dictionary: repeated ones come joined by `", "`, which cannot always be taken apart again
///   (`Set-Cookie`, whose dates have commas), and the order is lost, so they come sorted by name. ``ResponseHead/httpVersion`` is known
///   only from the metrics, at the end; until then, and without metrics, it says HTTP/1.1.
/// - It decides by itself whether a request is sent again on a new connection when a reused one turns out to be dead:
///   ``TransportRequest/allowsResend`` is not asked.
/// - It does not say when a connection stands, so that ``TransportRequest/connectTimeout`` is not looked at:
///   ``TransportRequest/idleTimeout`` holds for connecting too, and runs while a request waits for a free connection.
/// - It keeps idle connections as long as it sees fit: `SessionConfiguration.idleConnectionTimeout` and `maximumConnectionLifetime` are not
///   looked at, and ``closeIdleConnections()`` is `URLSession.flush`, after which requests use new connections (on Linux it does nothing).
///
/// Redirects, `401`, cookies, caching and credentials are the client's here as well: URLSession's own are off. On Linux it runs over
/// FoundationNetworking, whose limits are in `Documentation/Platforms.md`; use `CurlTransport` there.
public final class URLSessionTransport: Transport {
    let driver: URLSessionDriver

    /// A transport over a `URLSession` of its own.
    ///
    /// - Parameter configuration: Read for `maximumConnectionsPerHost`; what concerns one request comes with each.
    public init(configuration: SessionConfiguration = .default) {
        driver = URLSessionDriver(configuration)
    }

    // The URLSession keeps the driver, its delegate, until it is invalidated. It does not know this object, whose end is therefore the
    // sign.
    deinit {
        driver.queue.async { [driver] in driver.close() }
    }

    public func start(_ request: TransportRequest, receiver: any TransportReceiver) {
        driver.queue.async { [driver] in driver.start(request, receiver: receiver) }
    }

    public func cancel(_ id: TransportTaskID) {
        driver.queue.async { [driver] in driver.cancel(id) }
    }

    public func pause(_ id: TransportTaskID) {
        driver.queue.async { [driver] in driver.setPaused(true, id) }
    }

    public func resume(_ id: TransportTaskID) {
        driver.queue.async { [driver] in driver.setPaused(false, id) }
    }

    public func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) {
        driver.queue.async { [driver] in driver.proceed(id, body) }
    }

    public func acknowledge(_ id: TransportTaskID, bytes: Int) {
        driver.queue.async { [driver] in driver.acknowledge(id, bytes: bytes) }
    }

    public func closeIdleConnections() {
        driver.queue.async { [driver] in driver.closeIdleConnections() }
    }
}
