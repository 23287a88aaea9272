import Foundation

/// How parameters are encoded in a request's body when the call passes no encoding or encoder: see
/// ``SessionConfiguration/parameterFormat``.
///
/// It concerns bodies only. With either format, the parameters of GET, HEAD and DELETE are URL-encoded in the query.
public enum ParameterFormat: Sendable, Hashable {
    /// `application/x-www-form-urlencoded`: ``URLEncoding/default`` and ``URLEncodedFormParameterEncoder/default``.
    case form
    /// `application/json`: ``JSONEncoding/default`` and ``JSONParameterEncoder/default``.
    case json
}

/// Encodes parameters in the query or in the body, depending on the method; in the body, in the session's format. Untyped and `Encodable`
/// parameters give the same bytes.
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

    /// Reads the method from the request, since a request modifier may have changed it.
    private func isJSON(_ request: URLRequest) -> Bool {
        format == .json && !URLEncoding.Destination.methodDependent.isQuery(for: request.method ?? .get)
    }
}
