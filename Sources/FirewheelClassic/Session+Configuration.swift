import Firewheel

extension Session {
    /// A session with what it can take over of a `URLSessionConfiguration`: see ``SessionConfiguration/init(_:)``.
    ///
    /// - Parameters:
    ///   - configuration: Read once, here.
    ///   - startRequestsImmediately: Whether a request starts when its first response handler is attached, as it does by default. If not,
    ///     `resume()` starts it.
    @_disfavoredOverload  // `.default` is Firewheel's own.
    public convenience init(configuration: URLSessionConfiguration, startRequestsImmediately: Bool = true) {
        self.init(configuration: SessionConfiguration(configuration), startRequestsImmediately: startRequestsImmediately)
    }

    /// What every request of a session says unless told otherwise: `Accept-Encoding`, `Accept-Language`, `User-Agent`.
    public static var defaultHTTPHeaders: [String: String] { HTTPHeaders.default.dictionary }
}

extension SessionConfiguration {
    /// The configuration that says the same as a `URLSessionConfiguration` as far as it can.
    ///
    /// `httpAdditionalHeaders` are set over the default ones; `timeoutIntervalForRequest`, `timeoutIntervalForResource` and
    /// `httpMaximumConnectionsPerHost` are taken over. Everything else in it, such as its cache, its cookies and its `protocolClasses`, is
    /// `URLSession`'s own and has no effect.
    public init(_ configuration: URLSessionConfiguration) {
        self.init()
        let additional = (configuration.httpAdditionalHeaders ?? [:]).map { HTTPHeader(name: "\($0)", value: "\($1)") }
        for header in additional.sorted(by: { $0.name < $1.name }) { headers.update(header) }
        timeoutIntervalForRequest = configuration.timeoutIntervalForRequest
        timeoutIntervalForResource = configuration.timeoutIntervalForResource
        maximumConnectionsPerHost = configuration.httpMaximumConnectionsPerHost
    }
}
