import Firewheel
import Foundation

/// httpbin's description of a request.
struct HTTPBinEcho<JSON: Decodable & Sendable>: Decodable, Sendable {
    /// One value, or a list of the values of one name.
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
    /// The fields of a body of type `application/x-www-form-urlencoded`.
    let form: [String: Values]?
    /// A body of another type.
    let data: String?
    /// ``data`` parsed as JSON.
    let json: JSON?
}

extension DataRequest {
    /// httpbin's answer to this request, which must be a success.
    func echo() async throws -> HTTPBinEcho<String> { try await validate().serializingDecodable(HTTPBinEcho<String>.self).value }

    /// The same for a JSON body.
    func echo<JSON: Decodable & Sendable>(_ type: JSON.Type) async throws -> HTTPBinEcho<JSON> {
        try await validate().serializingDecodable(HTTPBinEcho<JSON>.self).value
    }
}
