import Foundation

/// The session that most programs need: `Session.default`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let HTTP = Session.default

/// Makes requests, with one configuration, one pool of connections and one delegate queue.
///
/// When the last reference to a session is gone its requests end with `sessionInvalidated`: keep it as long as you use it.
public final class Session: Sendable {
    /// A session with the default configuration, also known as ``HTTP``.
    public static let `default` = Session()

    let pipeline: RequestPipeline
    let startsImmediately: Bool

    /// - Parameters:
    ///   - configuration: How requests are made.
    ///   - transport: What moves the bytes; nil is libcurl on Linux, URLSession on Apple's systems.
    ///   - delegateQueue: The queue on which requests are validated and completed. If it is not serial, what the session puts on it still runs
    ///     one at a time. nil is one of the session's own.
    ///   - serializationQueue: The queue on which serializers run. nil is one of the session's own, on which those of different requests run in parallel.
    ///   - startRequestsImmediately: Whether a request starts when its first response handler is attached, as it does by default. If not, `resume()` starts it.
    ///   - eventMonitors: See every request of the session, in the order of this list. Default: none.
    public init(
        configuration: SessionConfiguration = .default,
        transport: (any Transport)? = nil,
        delegateQueue: DispatchQueue? = nil,
        serializationQueue: DispatchQueue? = nil,
        startRequestsImmediately: Bool = true,
        eventMonitors: [any EventMonitor] = []
    ) {
        startsImmediately = startRequestsImmediately
        pipeline = RequestPipeline(
            configuration: configuration, transport: transport ?? defaultTransport(configuration), delegateQueue: delegateQueue,
            serializationQueue: serializationQueue, eventMonitors: eventMonitors)
    }

    deinit {
        pipeline.invalidate()
    }

    /// Calls a closure, on the delegate queue, with every request that has started and is not over.
    public func withAllRequests(perform: @escaping @Sendable (Set<Request>) -> Void) {
        let pipeline = pipeline
        pipeline.delegateQueue.async { perform(Set(pipeline.registry.all)) }
    }

    /// Cancels every request that has started and is not over.
    ///
    /// - Parameters:
    ///   - queue: Where `completion` is called. Default: the main queue.
    ///   - completion: Called when all have been told; their handlers follow.
    public func cancelAllRequests(completingOnQueue queue: DispatchQueue = .main, completion: (@Sendable () -> Void)? = nil) {
        withAllRequests { requests in
            for request in requests { request.cancel() }
            if let completion { queue.async(execute: completion) }
        }
    }

    /// Closes the connections that no request is on. Requests under way are left alone, and their connections are kept afterwards as always.
    ///
    /// Over libcurl no later request uses one of them. With no request under way they are closed at once. Else the server hears of their end at once, and the
    /// descriptors are closed within some seconds. Over URLSession it is `URLSession.flush`: later requests use new connections, and the old ones are
    /// closed when the system sees fit.
    public func closeIdleConnections() {
        pipeline.closeIdleConnections()
    }

    func dataRequest(_ source: RequestSource) -> DataRequest {
        DataRequest(source: source, driver: pipeline, startsImmediately: startsImmediately)
    }

    func downloadRequest(_ source: RequestSource, to destination: DownloadRequest.Destination?) -> DownloadRequest {
        DownloadRequest(source: source, driver: pipeline, startsImmediately: startsImmediately, destination: destination)
    }
}

extension Session: CustomReflectable {
    /// Nothing of what it is made of, which holds credentials and changes meanwhile.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}
