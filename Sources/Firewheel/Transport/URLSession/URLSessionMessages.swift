import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// What a session's configuration means to URLSession. The one place that says so.
    static func firewheel(_ configuration: SessionConfiguration) -> URLSessionConfiguration {
        let mapped = URLSessionConfiguration.ephemeral
        mapped.httpMaximumConnectionsPerHost = max(1, configuration.maximumConnectionsPerHost)
        // Of a request alone: its own timer holds it to its deadline, and `timeoutInterval` says how long it may be idle.
        mapped.timeoutIntervalForResource = URLSessionPlatform.noLimit
        // Cookies, caching and credentials are the client's.
        mapped.httpCookieStorage = nil
        mapped.httpShouldSetCookies = false
        mapped.httpCookieAcceptPolicy = .never
        mapped.urlCache = nil
        mapped.requestCachePolicy = .reloadIgnoringLocalCacheData
        mapped.urlCredentialStorage = nil
        return mapped
    }
}

extension URLRequest {
    /// nil if Foundation does not take the URL.
    init?(transportRequest request: TransportRequest) {
        guard let url = URL(string: request.target.string) else { return nil }
        self.init(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: URLSessionPlatform.timeoutInterval(request.idleTimeout))
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        for header in request.headers where !Self.isFraming(header.name) { addValue(header.value, forHTTPHeaderField: header.name) }
        httpBody = request.body
    }

    /// Fields that say where a message ends are URLSession's to set.
    private static func isFraming(_ name: String) -> Bool {
        name.equalsIgnoringASCIICase("Content-Length") || name.equalsIgnoringASCIICase("Transfer-Encoding")
    }
}

extension ResponseHead {
    /// Sorted by name, since the dictionary has no order.
    init(_ response: HTTPURLResponse) {
        let fields = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { HTTPHeader(name: $0, value: value as? String ?? "\(value)") }
        }
        self.init(statusCode: response.statusCode, headers: HTTPHeaders(received: fields.sorted { $0.name < $1.name }))
    }
}

extension TransportError {
    /// The error of a task: URLSession's own code, as it is.
    init(urlSessionError error: any Error) {
        self = .failed((error as? URLError)?.code ?? .unknown, error.localizedDescription)
    }
}
