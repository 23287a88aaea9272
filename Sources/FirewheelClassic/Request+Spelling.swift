import Firewheel

// Members that Firewheel spells differently.
extension Request {
    /// Answers a server's authentication challenge with this user name and password.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - persistence: Whether the session keeps the credential in memory. Default: `.forSession`.
    @discardableResult
    public func authenticate(user: String, password: String, persistence: URLCredential.Persistence = .forSession) -> Self {
        authenticate(username: user, password: password, persistence: persistence)
    }

    /// Answers a server's authentication challenge with a credential.
    @discardableResult
    public func authenticate(usingCredential credential: URLCredential) -> Self {
        authenticate(with: credential)
    }

    /// The name and the value of an `Authorization` field with Basic credentials (RFC 7617). Never nil; the type is Alamofire 4's.
    public static func authorizationHeader(user: String, password: String) -> (key: String, value: String)? {
        let header = HTTPHeader.authorization(username: user, password: password)
        return (header.name, header.value)
    }
}

extension DownloadRequest {
    /// Cancels the download.
    ///
    /// - Parameter createResumeData: Whether the response gets the data with which the download can be resumed. `cancel()` does not
    ///   produce it, other than in Alamofire 4.
    public func cancel(createResumeData: Bool) {
        cancel(producingResumeData: createResumeData)
    }

    /// Rejects a response for which the closure returns a failure.
    ///
    /// - Parameter validation: Its arguments are the request, the response, the temporary file, and nil for the destination: a file that is
    ///   not valid is not moved there.
    @preconcurrency
    @discardableResult
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse, URL?, URL?) -> ValidationResult) -> Self {
        validate { request, response, temporaryURL in validation(request, response, temporaryURL, nil) }
    }
}

extension URLEncoding {
    /// The default: the query for GET, HEAD and DELETE, the body for other methods.
    public static var methodDependent: URLEncoding { .default }
}

extension URLRequestConvertible {
    /// The request; nil if it cannot be created.
    public var urlRequest: URLRequest? { try? asURLRequest() }
}
