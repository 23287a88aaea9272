import Foundation

/// How parameters are written into the body of a request that names no encoding or encoder: ``SessionConfiguration/parameterFormat``.
///
/// It is about bodies alone. The parameters of GET, HEAD and DELETE go into the query, URL-encoded, with either of them.
public enum ParameterFormat: Sendable, Hashable {
    /// `application/x-www-form-urlencoded`: ``URLEncoding/default`` and ``URLEncodedFormParameterEncoder/default``.
    case form
    /// `application/json`: ``JSONEncoding/default`` and ``JSONParameterEncoder/default``.
    case json
}

/// Puts parameters where the method wants them, in the session's format where that is the body. Both faces send the same bytes.
struct FormattedParameters: ParameterEncoding, ParameterEncoder {
    let format: ParameterFormat

    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        let request = try urlRequest.requestForEncoding()
        return try isJSON(request)
            ? JSONEncoding.default.encode(request, with: parameters) : URLEncoding.default.encode(request, with: parameters)
    }

    func encode<Value: Encodable & Sendable>(_ parameters: Value?, into request: URLRequest) throws -> URLRequest {
        try isJSON(request)
            ? JSONParameterEncoder.default.encode(parameters, into: request)
            : URLEncodedFormParameterEncoder.default.encode(parameters, into: request)
    }

    /// Asked of the request itself, since a request modifier may have changed its method.
    private func isJSON(_ request: URLRequest) -> Bool {
        format == .json && !URLEncoding.Destination.methodDependent.isQuery(for: request.method ?? .get)
    }
}
