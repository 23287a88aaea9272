import Firewheel

/// An error reported by the API.
///
/// Every other failure stays a `FirewheelError`: no connection, a timeout, a response that cannot be decoded.
public struct BooksError: Error, Equatable, LocalizedError {
    /// A code for programs, such as "not_found".
    public let code: String
    /// A message for people.
    public let message: String

    public var errorDescription: String? { message }

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}

/// The body of an error response: `{"error": {"code": "not_found", "message": "There is no book 7."}}`.
private struct Envelope: Decodable {
    struct Content: Decodable {
        let code: String
        let message: String
    }

    let error: Content
}

extension DataTask {
    /// The value; throws the API's own error if the response contains one.
    var valueOrRefusal: Value {
        get async throws { try await response.valueOrRefusal }
    }
}

extension DataResponse {
    /// The value; throws the API's own error if the response contains one.
    var valueOrRefusal: Value {
        get throws {
            do {
                return try result.get()
            } catch let error as FirewheelError {
                // A proxy may answer with its own page. A body that is not the API's error format keeps the original error.
                guard let envelope = try? error.decodeResponse(as: Envelope.self) else { throw error }
                throw BooksError(code: envelope.error.code, message: envelope.error.message)
            }
        }
    }
}
