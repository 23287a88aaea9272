import Foundation

/// Decodes a value from a body: `JSONDecoder`, `PropertyListDecoder`, and types of your own.
public protocol DataDecoder: Sendable {
    /// Decodes a value.
    ///
    /// - Throws: An error, which is reported as `responseSerializationFailed(.decodingFailed)` with it as `underlyingError`.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension DataDecoder {
    /// Decodes data from a server, with a check of its nesting depth if necessary.
    func decodeChecked<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        if self is PropertyListDecoder { try PropertyListBody.checkForDecoder(data) }
        do {
            return try decode(type, from: data)
        } catch DecodingError.dataCorrupted(let context) where self is JSONDecoder && context.saysNothingMore {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: context.debugDescription, underlyingError: JSONValue.problem(of: data)))
        }
    }
}

extension DataDecoder {
    /// Decodes a body of a content type, which matters for JSON that is not UTF-8.
    func decodeChecked<Value: Decodable>(_ type: Value.Type, from body: Data, contentType: String?) throws -> Value {
        try decodeChecked(type, from: self is JSONDecoder ? JSONText.utf8(body, contentType: contentType) : body)
    }
}

extension DecodingError.Context {
    /// Whether a `JSONDecoder` reports invalid JSON without the position, as on Linux.
    fileprivate var saysNothingMore: Bool {
        codingPath.isEmpty && underlyingError == nil && debugDescription.contains("valid JSON")
    }
}

extension JSONValue {
    /// Why a `JSONDecoder` calls data invalid: on Linux also for a number that its type cannot represent.
    fileprivate static func problem(of data: Data) -> any Error {
        do {
            _ = try JSONValue(data: data)
            return UnrepresentableNumber()
        } catch {
            return error
        }
    }
}

/// The decoder of a session, shared by its requests and by their errors.
final class SessionDecoder: Sendable {
    let decoder: any DataDecoder

    init(_ decoder: any DataDecoder) {
        self.decoder = decoder
    }
}

extension FirewheelError {
    /// Decodes the server's error body, for example after `validate()` has failed.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: Default: nil, which means the ``SessionConfiguration/decoder`` of the request's session, or a `JSONDecoder` for an
    ///     error that no request has reported.
    /// - Returns: nil if no body was received.
    /// - Throws: The decoder's error.
    public func decodeResponse<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil
    ) throws -> Value? {
        let decoder = decoder ?? (sessionDecoder as? SessionDecoder)?.decoder ?? JSONDecoder()
        return try responseData.map {
            try decoder.decodeChecked(type, from: $0, contentType: response?.headers.singleton("Content-Type"))
        }
    }
}
