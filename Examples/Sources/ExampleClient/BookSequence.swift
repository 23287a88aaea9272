import Firewheel

/// All books of the library, in pages. The next page is requested when the last book of the page before has been used, so that a loop which
/// ends early makes no unneeded request.
///
/// ```swift
/// for try await book in books.all() { print(book.title) }
/// ```
public struct BookSequence: AsyncSequence, Sendable {
    public typealias Element = Book

    let session: Session
    let pageSize: Int

    public func makeAsyncIterator() -> Iterator { Iterator(session: session, pageSize: pageSize) }

    public struct Iterator: AsyncIteratorProtocol {
        private let session: Session
        private var page: ArraySlice<Book> = []
        private var nextPage: String?

        init(session: Session, pageSize: Int) {
            self.session = session
            nextPage = "books?limit=\(pageSize)"
        }

        public mutating func next() async throws -> Book? {
            // An empty page may still link to a next one, so this is a loop.
            while page.isEmpty {
                guard let url = nextPage else { return nil }
                // Each link is requested once: after an error the sequence has ended.
                nextPage = nil
                let response = await session.get(url).serializingDecodable([Book].self).response
                page = try response.valueOrRefusal[...]
                nextPage = NextLink.url(in: response)?.absoluteString
            }
            return page.popFirst()
        }
    }
}

/// The link to the next page: `Link: <https://api.example.com/books?page=2>; rel="next"` (RFC 8288).
enum NextLink {
    /// - Returns: Nil on the last page.
    static func url<Value>(in response: DataResponse<Value>) -> URL? {
        let fields = response.headers.values(for: "Link").joined(separator: ", ")
        // Each link begins with its URL in angle brackets, which may contain a comma. So the links are split at the brackets.
        for link in fields.split(separator: "<") {
            let parts = link.split(separator: ">", maxSplits: 1)
            guard let address = parts.first, let parameters = parts.dropFirst().first else { continue }
            guard parameters.contains("rel=\"next\"") || parameters.contains("rel=next") else { continue }
            // The URL may be relative to the current page.
            return URL(string: String(address), relativeTo: response.response?.url)?.absoluteURL
        }
        return nil
    }
}
