import Firewheel

/// The API of a library of books.
///
/// It is a struct around a session. The caller chooses the session's transport and server: the network, a test's own server, or a stub.
public struct Books: Sendable {
    private let session: Session

    /// - Parameter session: Its `baseURL` is that of the API; see ``session(for:)``.
    public init(session: Session) {
        self.session = session
    }

    /// The app's session. Tests use it too, so that they test its settings.
    public static func session(for baseURL: URL?) -> Session {
        var configuration = SessionConfiguration.default
        configuration.baseURL = baseURL
        configuration.headers.add(.accept("application/json, text/csv"))
        configuration.timeoutIntervalForRequest = 15
        // A 404 is an error, and so is a body of another type than the `Accept` field names.
        configuration.validation = .standard
        // Bodies are JSON; queries stay URL-encoded.
        configuration.parameterFormat = .json
        // A GET that fails on the way, or with a 503, is tried twice more. A POST is not: it may have been carried out.
        return Session(configuration: configuration, interceptor: .retryPolicy)
    }

    /// All books, loaded a page at a time as they are needed.
    public func all(pageSize: Int = 50) -> BookSequence {
        BookSequence(session: session, pageSize: pageSize)
    }

    /// One book.
    ///
    /// - Throws: ``BooksError`` if the API refuses, `FirewheelError` if it cannot be reached or understood.
    public func book(_ id: Book.ID) async throws -> Book {
        try await session.get("books/\(segment: id)").serializingDecodable(Book.self).valueOrRefusal
    }

    /// Adds a book, and returns it with its number.
    public func add(_ book: NewBook) async throws -> Book {
        try await session.post("books", parameters: book).serializingDecodable(Book.self).valueOrRefusal
    }

    /// Removes a book.
    public func remove(_ id: Book.ID) async throws {
        // A 204 has no body, which `Empty` allows.
        _ = try await session.delete("books/\(segment: id)").serializingDecodable(Empty.self).valueOrRefusal
    }

    /// The report of all loans, which the API provides as CSV only.
    public func loans() async throws -> [Loan] {
        try await session.get("loans.csv").serializingResponse(using: .loans).valueOrRefusal
    }
}
