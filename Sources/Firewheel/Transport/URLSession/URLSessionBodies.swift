import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TransportRequest {
    private static let featuresOfURLSession = URLSessionPlatform.features.union([.fileBody, .streamBody, .reportsSent])

    /// What URLSession cannot do of a request.
    var problemOnURLSession: TransportError? {
        if let problem = route.proxy?.problem { return .failed(.resourceUnavailable, problem) }
        var features = Self.featuresOfURLSession
        // FoundationNetworking's libcurl reads the environment by itself.
        if route.proxy?.isOfEnvironment == true { features.insert(.proxy) }
        if let feature = unsupportedFeature(supported: features) {
            return .unsupported(feature, by: "URLSessionTransport")
        }
        if let proxy = route.proxy?.server, ![.http, .socks5h].contains(proxy.kind), !(route.proxy?.isOfEnvironment ?? false) {
            let words = "URLSessionTransport does not support the proxy \(proxy): use ProxyConfiguration.http or ProxyConfiguration.socks5"
            return .failed(.resourceUnavailable, words)
        }
        if target.origin.isSecure, let rules = route.trust?.rules {
            if let problem = rules.problem { return .failed(.resourceUnavailable, problem) }
            if !rules.revocationLists.isEmpty {
                return .failed(.resourceUnavailable, "URLSessionTransport takes no revocation lists: leave tls.revocationLists empty")
            }
        }
        if let problem = bodySource?.problemOfNumbers { return problem }
        if case .file(let url, _, _) = bodySource { return URLSessionFileReader.problem(with: url) }
        return nil
    }

    #if canImport(Darwin)
        /// The body if it is sent from streams: not a whole file, which URLSession reads itself.
        var streamedBody: BodySource? {
            switch bodySource {
            case .data, nil: nil
            case .file(let url, let offset, let length): offset == 0 && length == URLSessionFileReader.size(of: url) ? nil : bodySource
            case .stream: bodySource
            }
        }
    #else
        /// The body if it is sent from streams: also bytes and files, of which FoundationNetworking could not begin anew when a reused
        /// connection turns out to be dead, and whose own file reading never ends if a file gets shorter.
        var streamedBody: BodySource? { body?.isEmpty == true ? nil : bodySource }
    #endif
}

extension URLSession {
    /// Creates the task of a request.
    func task(with request: URLRequest, source: BodySource?, upload: URLSessionUpload?) -> URLSessionDataTask {
        var request = request
        #if canImport(Darwin)
            if let upload {
                // Without it URLSession sends the body in chunks.
                if let length = upload.length { request.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
                // Asks the delegate for the stream.
                return uploadTask(withStreamedRequest: request)
            }
            if case .file(let url, _, _) = source { return uploadTask(with: request, fromFile: url) }
        #else
            // Not an upload task, which would wait a second for a 100 (Continue).
            if let upload {
                request.httpBody = nil
                request.httpBodyStream = upload.nextStream()
                if let length = upload.length {
                    request.setValue("\(length)", forHTTPHeaderField: "Content-Length")
                    // A blank value takes away libcurl's own field, with which it would send the body in chunks.
                    request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
                }
            }
        #endif
        return dataTask(with: request)
    }
}
