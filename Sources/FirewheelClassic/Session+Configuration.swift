import Firewheel

extension Session {
    /// Creates a session from the supported properties of a `URLSessionConfiguration`: see ``SessionConfiguration/init(_:)``.
    ///
    /// - Parameters:
    ///   - configuration: Read once, by this initializer.
    ///   - serverTrustPolicyManager: Decides which servers https requests are sent to. Default: nil, for those that the system trusts.
    ///   - startRequestsImmediately: Whether a request starts when its first response handler is attached. If false, `resume()` starts it.
    ///     Default: true.
    @_disfavoredOverload  // `.default` is Firewheel's own.
    public convenience init(
        configuration: URLSessionConfiguration, serverTrustPolicyManager: ServerTrustPolicyManager? = nil,
        startRequestsImmediately: Bool = true
    ) {
        self.init(
            configuration: SessionConfiguration(configuration), serverTrustPolicyManager: serverTrustPolicyManager,
            startRequestsImmediately: startRequestsImmediately)
    }

    /// Creates a session with policies for servers.
    ///
    /// - Parameters:
    ///   - configuration: How requests are made. Default: `.default`.
    ///   - serverTrustPolicyManager: Decides which servers https requests are sent to; nil for those that the system or the
    ///     configuration's `tls` trusts.
    ///   - startRequestsImmediately: Whether a request starts when its first response handler is attached. If false, `resume()` starts it.
    ///     Default: true.
    public convenience init(
        configuration: SessionConfiguration = .default, serverTrustPolicyManager: ServerTrustPolicyManager?,
        startRequestsImmediately: Bool = true
    ) {
        self.init(
            configuration: configuration, startRequestsImmediately: startRequestsImmediately,
            serverTrustManager: serverTrustPolicyManager?.manager)
    }

    /// A session's default header fields: `Accept-Encoding`, `Accept-Language`, `User-Agent`.
    public static var defaultHTTPHeaders: HTTPHeaders { Firewheel.HTTPHeaders.default.dictionary }
}

extension SessionConfiguration {
    /// Creates a configuration from the supported properties of a `URLSessionConfiguration`.
    ///
    /// `httpAdditionalHeaders` override the default headers; `timeoutIntervalForRequest`, `timeoutIntervalForResource`,
    /// `requestCachePolicy` and `httpMaximumConnectionsPerHost` are copied. All other properties, such as the `urlCache`, the cookies and
    /// the `protocolClasses`, are specific to `URLSession` and have no effect: see `SessionConfiguration.cache` for a cache.
    public init(_ configuration: URLSessionConfiguration) {
        self.init()
        let additional = (configuration.httpAdditionalHeaders ?? [:]).map { HTTPHeader(name: "\($0)", value: "\($1)") }
        for header in additional.sorted(by: { $0.name < $1.name }) { headers.update(header) }
        timeoutIntervalForRequest = configuration.timeoutIntervalForRequest
        timeoutIntervalForResource = configuration.timeoutIntervalForResource
        requestCachePolicy = configuration.requestCachePolicy
        maximumConnectionsPerHost = configuration.httpMaximumConnectionsPerHost
    }
}
