import Firewheel
import Foundation

/// What httpbin says that it has received.
struct HTTPBinEcho<JSON: Decodable & Sendable>: Decodable, Sendable {
    /// One value, or a list of those that have come under one name.
    struct Values: Decodable, Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
        let list: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            list = try (try? container.decode([String].self)) ?? [container.decode(String.self)]
        }

        init(stringLiteral value: String) { list = [value] }
        init(arrayLiteral elements: String...) { list = elements }
    }

    let url: String
    let args: [String: Values]
    let headers: [String: String]
    /// The fields of a body of the type `application/x-www-form-urlencoded`.
    let form: [String: Values]?
    /// A body of another type.
    let data: String?
    /// ``data``, if that was JSON.
    let json: JSON?
}

extension DataRequest {
    /// httpbin's answer to this request, which has to be a good one.
    func echo() async throws -> HTTPBinEcho<String> { try await validate().serializingDecodable(HTTPBinEcho<String>.self).value }

    /// The same, where the body was JSON.
    func echo<JSON: Decodable & Sendable>(_ type: JSON.Type) async throws -> HTTPBinEcho<JSON> {
        try await validate().serializingDecodable(HTTPBinEcho<JSON>.self).value
    }
}
