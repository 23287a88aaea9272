import Foundation

/// What decodes a value from the bytes of a body: `JSONDecoder`, `PropertyListDecoder`, and types of your own.
public protocol DataDecoder: Sendable {
    /// The value.
    ///
    /// - Throws: Why there is none, which arrives as `responseSerializationFailed(.decodingFailed)` with `underlyingError`.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension DataDecoder {
    /// Decodes what a server has sent, however deep that is.
    func decodeChecked<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        if self is PropertyListDecoder { try PropertyListDepth.check(data) }
        return try decode(type, from: data)
    }
}

/// A look at a property list before `PropertyListDecoder` gets it, which on Linux overflows the stack on a few thousand nested arrays and
/// on a binary one that holds itself. `PropertyListSerialization` refuses both.
private enum PropertyListDepth {
    /// What a decoder needs for each level, on a stack of 512 KiB, leaves room for a type's own.
    static let maximum = 256

    static func check(_ data: Data) throws {
        let object = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        guard fits(object, levels: maximum) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "more than \(maximum) nested arrays and dictionaries"))
        }
    }

    private static func fits(_ object: Any, levels: Int) -> Bool {
        switch object {
        case let elements as [Any]: levels > 0 && elements.allSatisfy { fits($0, levels: levels - 1) }
        case let members as [String: Any]: levels > 0 && members.values.allSatisfy { fits($0, levels: levels - 1) }
        default: true
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
    ///   - decoder: Default: nil, and it is the ``SessionConfiguration/decoder`` of the request's session. Of an error that comes from no
    ///     request it is a `JSONDecoder`.
    /// - Returns: nil if no body was received.
    /// - Throws: the decoder's error.
    public func decodeResponse<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil
    ) throws -> Value? {
        let decoder = decoder ?? (sessionDecoder as? SessionDecoder)?.decoder ?? JSONDecoder()
        return try responseData.map { try decoder.decodeChecked(type, from: $0) }
    }
}
