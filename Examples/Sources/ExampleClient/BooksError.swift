import Firewheel

/// What the API says when it refuses.
///
/// Everything else that can go wrong stays a `FirewheelError`: no connection, a timeout, an answer that cannot be decoded.
public struct BooksError: Error, Equatable, LocalizedError {
    /// For programs, such as "not_found".
    public let code: String
    /// For people.
    public let message: String

    public var errorDescription: String? { message }

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}

/// The body of a refusal: `{"error": {"code": "not_found", "message": "There is no book 7."}}`.
private struct Envelope: Decodable {
    struct Content: Decodable {
        let code: String
        let message: String
    }

    let error: Content
}

extension DataTask {
    /// The value, or the API's own error if that is what came.
    var valueOrRefusal: Value {
        get async throws { try await response.valueOrRefusal }
    }
}

extension DataResponse {
    /// The value, or the API's own error if that is what came.
    var valueOrRefusal: Value {
        get throws {
            do {
                return try result.get()
            } catch let error as FirewheelError {
                // A proxy in between answers with a page of its own: what is no envelope stays the error it was.
                guard let envelope = try? error.decodeResponse(as: Envelope.self) else { throw error }
                throw BooksError(code: envelope.error.code, message: envelope.error.message)
            }
        }
    }
}
