import ExampleClient
import Firewheel
import FirewheelTesting
import Testing

/// Each test has its own server and session, so all of them can run at once.
@Suite("Library API client")
struct BooksTests {
    let server: MockServer
    let books: Books

    init() throws {
        server = try MockServer()
        books = Books(session: Books.session(for: URL(string: server.url("/v1"))))
    }

    @Test("A book is requested by its number, with the header fields of every request")
    func book() async throws {
        server.enqueue(.json(#"{"id":7,"title":"Emma","author":"Jane Austen"}"#))
        #expect(try await books.book(7) == Book(id: 7, title: "Emma", author: "Jane Austen"))

        let sent = try await server.takeRequest()
        #expect(sent.method == "GET" && sent.target == "/v1/books/7")
        #expect(sent.header("Accept") == "application/json, text/csv")
    }

    @Test("A new book is sent as JSON")
    func add() async throws {
        server.enqueue(.json(#"{"id":8,"title":"Momo","author":"Michael Ende"}"#, status: 201))
        #expect(try await books.add(NewBook(title: "Momo", author: "Michael Ende")).id == 8)

        let sent = try await server.takeRequest()
        #expect(sent.method == "POST" && sent.path == "/v1/books" && sent.header("Content-Type") == "application/json")
        let body = try JSONDecoder().decode([String: String].self, from: sent.body)
        #expect(body == ["title": "Momo", "author": "Michael Ende"])
    }

    @Test("Removing a book accepts a response without a body")
    func remove() async throws {
        server.enqueue(.status(204))
        try await books.remove(7)
        #expect(try await server.takeRequest().method == "DELETE")
    }

    // MARK: - Pages

    private func page(_ ids: ClosedRange<Int>, link: String? = nil) -> MockResponse {
        let list = ids.map { #"{"id":\#($0),"title":"T","author":"A"}"# }.joined(separator: ",")
        return .json("[\(list)]", headers: link.map { ["Link": $0] } ?? [:])
    }

    @Test("Pages are followed by their links, in every form of a link")
    func pages() async throws {
        server.enqueue(
            page(1...2, link: "</v1/books?a=1,2>; rel=\"first\", <books?page=2>; title=\"x\"; rel=\"next\""),
            .json("[]", headers: ["Link": "<\(server.url("/v1/books?page=3"))>;rel=next"]),
            page(3...3, link: "</v1/books?page=1>; rel=\"prev\""))
        var ids: [Int] = []
        for try await book in books.all(pageSize: 2) { ids.append(book.id) }
        #expect(ids == [1, 2, 3])
        let targets = try await server.takeRequests(3).map(\.target)
        #expect(targets == ["/v1/books?limit=2", "/v1/books?page=2", "/v1/books?page=3"])
    }

    @Test("A loop over pages that ends early requests no further page")
    func earlyEnd() async throws {
        server.enqueue(page(1...2, link: "<books?page=2>; rel=\"next\""))
        for try await book in books.all() where book.id == 2 { break }
        #expect(server.requestCount == 1)
    }

    @Test("An error on a later page ends the loop, after the books of earlier pages")
    func brokenPage() async throws {
        server.enqueue(page(1...2, link: "<books?page=2>; rel=\"next\""), .json("[{", status: 200))
        var ids: [Int] = []
        await #expect(throws: FirewheelError.self) {
            for try await book in books.all() { ids.append(book.id) }
        }
        #expect(ids == [1, 2])
    }

    // MARK: - Failures

    @Test("A request refused by the API throws an error with the API's message")
    func refusal() async throws {
        server.enqueue(.json(#"{"error":{"code":"not_found","message":"There is no book 7."}}"#, status: 404))
        let error = await #expect(throws: BooksError.self) { try await books.book(7) }
        #expect(error == BooksError(code: "not_found", message: "There is no book 7."))
    }

    @Test("An error response that is not the API's, such as a proxy's, stays a FirewheelError")
    func foreignRefusal() async throws {
        server.enqueue(.text("<html>Forbidden</html>", status: 403, headers: ["Content-Type": "text/html"]))
        let error = await #expect(throws: FirewheelError.self) { try await books.book(7) }
        #expect(error?.responseCode == 403)
    }

    @Test("A GET whose connection is lost is retried", arguments: [.resetInBody(after: 5), .closeBeforeHead] as [MockFault])
    func retry(fault: MockFault) async throws {
        let book = #"{"id":7,"title":"Emma","author":"Jane Austen"}"#
        server.enqueue(.json(book).failing(fault), .json(book))
        #expect(try await books.book(7).id == 7)
        #expect(server.requestCount == 2)
    }

    @Test("A POST whose connection is lost is not retried, since the book may have been added")
    func noRetry() async throws {
        server.enqueue(.failure(.resetBeforeHead))
        await #expect(throws: FirewheelError.self) { try await books.add(NewBook(title: "Momo", author: "Michael Ende")) }
        #expect(server.requestCount == 1)
    }

    // MARK: - The report

    @Test("A report is parsed whatever the order of its columns, with commas, quotes and line breaks in its fields")
    func report() async throws {
        let text = "title,id,reader\r\n\"Emma, or\r\n\"\"Emma\"\"\",1,Ada\r\n\"\",2,\"\"\n"
        server.enqueue(.text(text, headers: ["Content-Type": "text/csv; charset=utf-8"]))
        #expect(try await books.loans() == [Loan(reader: "Ada", title: "Emma, or\r\n\"Emma\""), Loan(reader: "", title: "")])
    }

    @Test(
        "A malformed report throws an error that names the row", arguments: [("", 1), ("a,b\n", 1), ("reader,title\nAda,Emma\nAda\n", 3)])
    func noReport(text: String, row: Int) async throws {
        server.enqueue(.text(text, headers: ["Content-Type": "text/csv"]))
        let error = await #expect(throws: ReportError.self) { try await books.loans() }
        #expect(error?.row == row)
    }
}
