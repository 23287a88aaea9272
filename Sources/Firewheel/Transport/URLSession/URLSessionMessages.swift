import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// Maps a session's configuration to a `URLSessionConfiguration`. No other code does.
    static func firewheel(_ configuration: SessionConfiguration) -> URLSessionConfiguration {
        let mapped = URLSessionConfiguration.ephemeral
        mapped.httpMaximumConnectionsPerHost = max(1, configuration.maximumConnectionsPerHost)
        // Timeouts belong to the request: a timer enforces its deadline, and `timeoutInterval` is its idle timeout.
        mapped.timeoutIntervalForResource = URLSessionPlatform.noLimit
        // The client handles cookies, caching and credentials.
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
    /// nil if Foundation does not accept the URL, or finds another host or port in it than the client has validated.
    init?(transportRequest request: TransportRequest) {
        let origin = request.target.origin
        guard let url = URL(string: request.target.string), url.port ?? (origin.isSecure ? 443 : 80) == origin.port,
            // Some versions of Foundation keep the brackets around an IPv6 address, and the escape of its zone.
            url.host?.trimmingCharacters(in: ["[", "]"]).replacing("%25", with: "%") == origin.host.replacing("%25", with: "%")
        else { return nil }
        self.init(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        // Set separately: FoundationNetworking treats the initializer's value as a default, which the configuration's overrides.
        // The idle timeout of a request whose body may be quiet is the driver's: URLSession's own does not end with the head.
        timeoutInterval = URLSessionPlatform.timeoutInterval(request.allowsQuietBody ? 0 : request.idleTimeout)
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        let isForProxy = !origin.isSecure && request.route.proxy?.server?.kind.isHTTP == true
        for header in request.headers where !Self.isFraming(header.name) {
            if !isForProxy, header.name.equalsIgnoringASCIICase("Proxy-Authorization") { continue }
            addValue(header.value, forHTTPHeaderField: header.name)
        }
        // URLSession asks for codings by itself, and undoes them.
        if !request.decodesContent, !request.headers.contains(name: "Accept-Encoding") {
            setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        if case .data(let data) = request.bodySource { httpBody = data }
    }

    /// Whether a field is part of the message framing, which URLSession sets.
    private static func isFraming(_ name: String) -> Bool {
        name.equalsIgnoringASCIICase("Content-Length") || name.equalsIgnoringASCIICase("Transfer-Encoding")
    }
}

extension ResponseHead {
    /// Fields are sorted by name, because the dictionary has no order. `Set-Cookie` fields, which Foundation joins with commas, are split
    /// again.
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
    /// Splits joined `Set-Cookie` values. A comma separates two if a name and an equals sign follow, which is not so within a date.
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
    /// The error of a task, with URLSession's own code.
    init(urlSessionError error: any Error) {
        let code = (error as? URLError)?.code
        self = .failed(code ?? .unknown, code?.name ?? error.localizedDescription)
    }
}
