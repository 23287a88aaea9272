import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The transport over Foundation's `URLSession`. It is the default on Apple platforms, where it brings the system's trust, proxies, HTTP/2
/// and HTTP/3.
///
/// URLSession differs from other transports in these points:
/// - It adds `User-Agent`, `Accept-Language` and `Accept-Encoding` to a request without them, and a form's `Content-Type` to a body without
///   one. A session's default headers and the encodings set these themselves. URLSession decides the order of the fields.
/// - A GET with a body fails with `dataLengthExceedsMaximum`.
/// - It reports a response's fields as a dictionary: repeated ones are joined by `", "`, which cannot always be split again (`Set-Cookie`
///   dates have commas), and the order is lost, so they are sorted by name. ``ResponseHead/httpVersion`` is known only from the metrics at
///   the end; until then, and without metrics, it is HTTP/1.1.
/// - It decides itself whether to resend a request when a reused connection turns out to be dead: ``TransportRequest/allowsResend`` is
///   ignored.
/// - It does not report when a connection is established, so ``TransportRequest/connectTimeout`` does not limit that:
///   ``TransportRequest/idleTimeout`` applies to connecting too, and runs while a request waits for a free connection.
/// - It sends requests through the system's proxies, or on Apple's systems through the session's own, http or SOCKS 5. A request whose
///   ``TransportRequest/route`` has another proxy, a Unix socket, another host to connect to, a family of addresses, a client certificate
///   or revocation lists fails with `resourceUnavailable` before anything is sent. On Linux so does one that waits for the network
///   (``TransportRequest/waitsForConnectivity``).
/// - It reports neither interim responses nor trailer fields. A request that asks for ``TransportRequest/reportsInterim`` fails in the same
///   way. The trailer fields of a body are not sent.
/// - Security verifies servers, by the authorities and evaluators of the request's route. It may ask over the network about revocation,
///   and ``ServerTrust/certificates`` are those of the chain that it has built. ``TransportRequest/connectTimeout`` limits the verdict. On
///   Linux, FoundationNetworking asks nobody, so that a request with a route of its own fails.
/// - It undoes the codings of a body whatever ``TransportRequest/decodesContent`` says. Without it the server is asked for none, and a body
///   that has one all the same fails with `cannotDecodeContentData`. It does not know ``TransportEvent/encodedCount``.
/// - It decides itself whether a body waits for a 100 (Continue): ``TransportRequest/expectsContinue`` is ignored.
/// - It manages idle connections itself: `SessionConfiguration.idleConnectionTimeout` and `maximumConnectionLifetime` are ignored, and
///   ``closeIdleConnections()`` is `URLSession.flush`, after which requests use new connections (on Linux it does nothing).
///
/// The client handles redirects, `401`, cookies, caching and credentials here as well; URLSession's own are off. On Linux it uses
/// FoundationNetworking, whose limits are listed in `Documentation/Platforms.md`; prefer `SocketTransport` there. The worst of them for
/// bodies from a ``BodyStream``: while FoundationNetworking waits for the stream's next piece, no request of any `URLSession` in the
/// process goes on, and the loss of the connection is not noticed. The wait ends with the piece, with the request (when it is cancelled,
/// for example), or after its idle timeout.
public final class URLSessionTransport: Transport {
    let driver: URLSessionDriver

    /// Creates a transport with its own `URLSession`.
    ///
    /// - Parameter configuration: Read for `maximumConnectionsPerHost`, and for the `tls` of requests whose session has the default.
    ///   With a `maximumTotalConnections` every request fails. The proxy is always the session's. Options of a single request are passed
    ///   with the request.
    public init(configuration: SessionConfiguration = .default) {
        driver = URLSessionDriver(configuration)
    }

    // The URLSession retains the driver, its delegate, until it is invalidated. It does not know this object, so its release is the signal.
    deinit {
        driver.queue.async { [driver] in driver.close() }
        driver.endUploads()
    }

    public func start(_ request: TransportRequest, receiver: any TransportReceiver) {
        driver.queue.async { [driver] in driver.start(request, receiver: receiver) }
    }

    public func cancel(_ id: TransportTaskID) {
        driver.queue.async { [driver] in driver.cancel(id) }
        driver.endUploads(of: id)
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

    public func answer(_ id: TransportTaskID, _ answer: TransportAnswer) {
        driver.queue.async { [driver] in driver.answer(id, answer) }
    }

    public func closeIdleConnections() {
        driver.queue.async { [driver] in driver.closeIdleConnections() }
    }
}
