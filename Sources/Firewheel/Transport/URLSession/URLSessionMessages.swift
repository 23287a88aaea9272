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
    /// nil if Foundation does not take the URL, or reads another host or port in it than the client has checked.
    init?(transportRequest request: TransportRequest) {
        let origin = request.target.origin
        guard let url = URL(string: request.target.string), url.port ?? (origin.isSecure ? 443 : 80) == origin.port,
            // Some versions of Foundation leave the brackets around an IPv6 address.
            url.host?.trimmingCharacters(in: ["[", "]"]) == origin.host
        else { return nil }
        self.init(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        // Set on its own: what the initializer is given FoundationNetworking takes for a default, over which the configuration's goes.
        timeoutInterval = URLSessionPlatform.timeoutInterval(request.idleTimeout)
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
    /// Sorted by name, since the dictionary has no order. Cookies, which Foundation joins by commas, are taken apart again.
    init(_ response: HTTPURLResponse) {
        let fields = response.allHeaderFields.flatMap { name, value -> [HTTPHeader] in
            guard let name = name as? String else { return [] }
            let value = String("\(value)"[...].trimmingOptionalWhitespace())
            guard name.equalsIgnoringASCIICase("Set-Cookie") else { return [HTTPHeader(name: name, value: value)] }
            return Self.cookies(joined: value).map { HTTPHeader(name: name, value: $0) }
        }
        self.init(statusCode: response.statusCode, headers: HTTPHeaders(received: fields.sorted { $0.name < $1.name }))
    }
}

extension ResponseHead {
    /// The values of several `Set-Cookie` fields out of one text. A comma separates two if a name and an equals sign follow: one in a date
    /// has neither.
    static func cookies(joined text: String) -> [String] {
        var cookies: [String] = []
        var start = text.startIndex
        for comma in text.indices where text[comma] == "," {
            let next = text[text.index(after: comma)...].drop { $0 == " " || $0 == "\t" }
            let name = next.prefix { !"=;, \t".contains($0) }
            guard !name.isEmpty, name.endIndex < text.endIndex, text[name.endIndex] == "=" else { continue }
            cookies.append(String(text[start..<comma]))
            start = next.startIndex
        }
        cookies.append(String(text[start...]))
        return cookies
    }
}

extension TransportError {
    /// The error of a task: URLSession's own code, as it is. Its words are not used, since on Linux they are a number.
    init(urlSessionError error: any Error) {
        let code = (error as? URLError)?.code ?? .unknown
        self = .failed(code, code.name ?? error.localizedDescription)
    }
}
