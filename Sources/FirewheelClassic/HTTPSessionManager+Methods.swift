import Firewheel

// Short forms of `dataTask(withHTTPMethod:…)` that start the request. Each returns nil if the request could not be serialized.
extension HTTPSessionManager {
    /// Creates a GET request and starts it. `progress` is that of the response's body.
    /// See ``dataTask(withHTTPMethod:urlString:parameters:headers:uploadProgress:downloadProgress:success:failure:)``.
    @preconcurrency
    @discardableResult
    public func get(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil, progress: ProgressHandler? = nil,
        success: SuccessHandler? = nil, failure: FailureHandler? = nil
    ) -> DataRequest? {
        dataTask(
            withHTTPMethod: .get, urlString: urlString, parameters: parameters, headers: headers, downloadProgress: progress,
            success: success, failure: failure)?.resume()
    }

    /// Creates a HEAD request and starts it. The response has no body: its header fields are those of `request.response`.
    /// See ``dataTask(withHTTPMethod:urlString:parameters:headers:uploadProgress:downloadProgress:success:failure:)``.
    @preconcurrency
    @discardableResult
    public func head(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: (@Sendable (_ request: DataRequest) -> Void)? = nil, failure: FailureHandler? = nil
    ) -> DataRequest? {
        dataTask(
            withHTTPMethod: .head, urlString: urlString, parameters: parameters, headers: headers,
            success: { request, _ in success?(request) }, failure: failure)?.resume()
    }

    /// Creates a POST request and starts it. `progress` is that of the request's body.
    /// See ``dataTask(withHTTPMethod:urlString:parameters:headers:uploadProgress:downloadProgress:success:failure:)``.
    @preconcurrency
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil, progress: ProgressHandler? = nil,
        success: SuccessHandler? = nil, failure: FailureHandler? = nil
    ) -> DataRequest? {
        dataTask(
            withHTTPMethod: .post, urlString: urlString, parameters: parameters, headers: headers, uploadProgress: progress,
            success: success, failure: failure)?.resume()
    }

    /// Creates a PUT request and starts it.
    /// See ``dataTask(withHTTPMethod:urlString:parameters:headers:uploadProgress:downloadProgress:success:failure:)``.
    @preconcurrency
    @discardableResult
    public func put(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil, success: SuccessHandler? = nil,
        failure: FailureHandler? = nil
    ) -> DataRequest? {
        dataTask(
            withHTTPMethod: .put, urlString: urlString, parameters: parameters, headers: headers, success: success, failure: failure)?
            .resume()
    }

    /// Creates a PATCH request and starts it.
    /// See ``dataTask(withHTTPMethod:urlString:parameters:headers:uploadProgress:downloadProgress:success:failure:)``.
    @preconcurrency
    @discardableResult
    public func patch(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil, success: SuccessHandler? = nil,
        failure: FailureHandler? = nil
    ) -> DataRequest? {
        dataTask(
            withHTTPMethod: .patch, urlString: urlString, parameters: parameters, headers: headers, success: success, failure: failure)?
            .resume()
    }

    /// Creates a DELETE request and starts it.
    /// See ``dataTask(withHTTPMethod:urlString:parameters:headers:uploadProgress:downloadProgress:success:failure:)``.
    @preconcurrency
    @discardableResult
    public func delete(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil, success: SuccessHandler? = nil,
        failure: FailureHandler? = nil
    ) -> DataRequest? {
        dataTask(
            withHTTPMethod: .delete, urlString: urlString, parameters: parameters, headers: headers, success: success, failure: failure)?
            .resume()
    }
}
