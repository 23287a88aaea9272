import Foundation

// The forms of `request` with a URL, by method, with the same defaults.
extension Session {
    /// Makes a GET request, with parameters by name. See ``request(_:method:parameters:encoding:headers:interceptor:requestModifier:)``.
    public func get(
        _ url: any URLConvertible, parameters: Parameters? = nil, encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .get, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Makes a GET request, with an encodable value for parameters.
    public func get<Value: Encodable & Sendable>(
        _ url: any URLConvertible, parameters: Value?, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .get, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Makes a HEAD request, with parameters by name. See ``request(_:method:parameters:encoding:headers:interceptor:requestModifier:)``.
    public func head(
        _ url: any URLConvertible, parameters: Parameters? = nil, encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .head, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Makes a HEAD request, with an encodable value for parameters.
    public func head<Value: Encodable & Sendable>(
        _ url: any URLConvertible, parameters: Value?, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .head, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Makes a POST request, with parameters by name. See ``request(_:method:parameters:encoding:headers:interceptor:requestModifier:)``.
    public func post(
        _ url: any URLConvertible, parameters: Parameters? = nil, encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .post, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Makes a POST request, with an encodable value for parameters.
    public func post<Value: Encodable & Sendable>(
        _ url: any URLConvertible, parameters: Value?, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .post, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Makes a PUT request, with parameters by name. See ``request(_:method:parameters:encoding:headers:interceptor:requestModifier:)``.
    public func put(
        _ url: any URLConvertible, parameters: Parameters? = nil, encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .put, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Makes a PUT request, with an encodable value for parameters.
    public func put<Value: Encodable & Sendable>(
        _ url: any URLConvertible, parameters: Value?, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .put, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Makes a PATCH request, with parameters by name. See ``request(_:method:parameters:encoding:headers:interceptor:requestModifier:)``.
    public func patch(
        _ url: any URLConvertible, parameters: Parameters? = nil, encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .patch, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Makes a PATCH request, with an encodable value for parameters.
    public func patch<Value: Encodable & Sendable>(
        _ url: any URLConvertible, parameters: Value?, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .patch, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Makes a DELETE request, with parameters by name. See ``request(_:method:parameters:encoding:headers:interceptor:requestModifier:)``.
    public func delete(
        _ url: any URLConvertible, parameters: Parameters? = nil, encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .delete, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }

    /// Makes a DELETE request, with an encodable value for parameters.
    public func delete<Value: Encodable & Sendable>(
        _ url: any URLConvertible, parameters: Value?, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        request(
            url, method: .delete, parameters: parameters, encoder: encoder, headers: headers, interceptor: interceptor,
            requestModifier: requestModifier)
    }
}
