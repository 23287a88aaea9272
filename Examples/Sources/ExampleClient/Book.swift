/// A book of the library.
public struct Book: Codable, Sendable, Equatable, Identifiable {
    public let id: Int
    public let title: String
    public let author: String

    public init(id: Int, title: String, author: String) {
        self.id = id
        self.title = title
        self.author = author
    }
}

/// A book without a number, which the server assigns.
public struct NewBook: Encodable, Sendable {
    public let title: String
    public let author: String

    public init(title: String, author: String) {
        self.title = title
        self.author = author
    }
}

/// A loan of a book to a reader: a line of the library's report.
public struct Loan: Sendable, Equatable {
    public let reader: String
    public let title: String

    public init(reader: String, title: String) {
        self.reader = reader
        self.title = title
    }
}
