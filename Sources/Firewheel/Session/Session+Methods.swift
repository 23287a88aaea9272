import Foundation

// Shortcuts of `request` with a URL for each method, with the same defaults.
extension Session {
    /// Creates a GET request with named parameters. See ``request(_:method:parameters:encoding:headers:interceptor:requestModifier:)``.
    public func get(
        _ url: any URLConvertible, parameters: Parameters? = nil, encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .get, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Creates a GET request with an encodable value as parameters.
    public func get<Value: Encodable & Sendable>(
        _ url: any URLConvertible, parameters: Value?, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .get, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Creates a HEAD request with named parameters. See ``request(_:method:parameters:encoding:headers:interceptor:requestModifier:)``.
    public func head(
        _ url: any URLConvertible, parameters: Parameters? = nil, encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .head, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Creates a HEAD request with an encodable value as parameters.
    public func head<Value: Encodable & Sendable>(
        _ url: any URLConvertible, parameters: Value?, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .head, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Creates a POST request with named parameters. See ``request(_:method:parameters:encoding:headers:interceptor:requestModifier:)``.
    public func post(
        _ url: any URLConvertible, parameters: Parameters? = nil, encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .post, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Creates a POST request with an encodable value as parameters.
    public func post<Value: Encodable & Sendable>(
        _ url: any URLConvertible, parameters: Value?, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .post, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Creates a PUT request with named parameters. See ``request(_:method:parameters:encoding:headers:interceptor:requestModifier:)``.
    public func put(
        _ url: any URLConvertible, parameters: Parameters? = nil, encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .put, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Creates a PUT request with an encodable value as parameters.
    public func put<Value: Encodable & Sendable>(
        _ url: any URLConvertible, parameters: Value?, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .put, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Creates a PATCH request with named parameters. See ``request(_:method:parameters:encoding:headers:interceptor:requestModifier:)``.
    public func patch(
        _ url: any URLConvertible, parameters: Parameters? = nil, encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .patch, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Creates a PATCH request with an encodable value as parameters.
    public func patch<Value: Encodable & Sendable>(
        _ url: any URLConvertible, parameters: Value?, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .patch, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Creates a DELETE request with named parameters. See ``request(_:method:parameters:encoding:headers:interceptor:requestModifier:)``.
    public func delete(
        _ url: any URLConvertible, parameters: Parameters? = nil, encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .delete, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Creates a DELETE request with an encodable value as parameters.
    public func delete<Value: Encodable & Sendable>(
        _ url: any URLConvertible, parameters: Value?, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .delete, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }
}
