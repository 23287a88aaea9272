import Foundation

// What cannot exist without a URLSession is declared, so that the compiler's message says what to use.

/// The delegate of Alamofire's `URLSession`. There is none here.
@available(*, unavailable, message: "there is no URLSession; for requests without a network there are the transports of FirewheelTesting")
open class SessionDelegate {
    /// Not available.
    public init() {}
}

extension Session {
    /// Not available.
    @available(*, unavailable, message: "there is no URLSession and no delegate of one; leave out the delegate")
    public convenience init(
        configuration: URLSessionConfiguration = URLSessionConfiguration.af.default,
        delegate: SessionDelegate,
        rootQueue: DispatchQueue = DispatchQueue(label: "firewheel.alamofire.root"),
        startRequestsImmediately: Bool = true,
        requestSetup: RequestSetup = .lazy,
        requestQueue: DispatchQueue? = nil,
        serializationQueue: DispatchQueue? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        serverTrustManager: ServerTrustManager? = nil,
        redirectHandler: (any RedirectHandler)? = nil,
        cachedResponseHandler: (any CachedResponseHandler)? = nil,
        eventMonitors: [any EventMonitor] = [AlamofireNotifications()]
    ) { fatalError("unavailable") }

    /// Not available.
    @available(*, unavailable, message: "there is no URLSession; use init(configuration:)")
    public convenience init(
        session: URLSession,
        delegate: SessionDelegate,
        rootQueue: DispatchQueue,
        startRequestsImmediately: Bool = true,
        requestSetup: RequestSetup = .lazy,
        requestQueue: DispatchQueue? = nil,
        serializationQueue: DispatchQueue? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        serverTrustManager: ServerTrustManager? = nil,
        redirectHandler: (any RedirectHandler)? = nil,
        cachedResponseHandler: (any CachedResponseHandler)? = nil,
        eventMonitors: [any EventMonitor] = [AlamofireNotifications()]
    ) { fatalError("unavailable") }

    /// Not available.
    @available(
        *, unavailable, message: "there is no URLSession; sessionConfiguration has the configuration, and withAllRequests the requests"
    )
    public var session: URLSession { fatalError("unavailable") }

    /// Not available.
    @available(*, unavailable, message: "there is no URLSession and no delegate of one")
    public var delegate: SessionDelegate { fatalError("unavailable") }
}
