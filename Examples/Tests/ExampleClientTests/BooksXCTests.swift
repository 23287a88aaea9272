import ExampleClient
import Firewheel
import FirewheelTesting
import XCTest

/// The same with XCTest: each test has a server, which is started before it and shut down after it.
final class BooksXCTests: XCTestCase {
    private var server: MockServer!
    private var books: Books!

    override func setUpWithError() throws {
        server = try MockServer()
        books = Books(session: Books.session(for: URL(string: server.url("/v1"))))
    }

    override func tearDown() {
        server.shutdown()
    }

    func testABookIsAskedForByItsNumber() async throws {
        server.enqueue(.json(#"{"id":7,"title":"Emma","author":"Jane Austen"}"#))
        let book = try await books.book(7)
        XCTAssertEqual(book.title, "Emma")
        let sent = try await server.takeRequest()
        XCTAssertEqual(sent.target, "/v1/books/7")
    }

    /// A synchronous test may block, because its thread does not run async code.
    func testAnOverdueAnswerIsATimeout() throws {
        server.enqueue(.failure(.noAnswer))
        let answered = expectation(description: "the handler is called")
        Session().get(server.url("/v1/books")).timeout(idle: 1).responseData(queue: .global()) { response in
            XCTAssertEqual((response.error as? FirewheelError)?.isTimeout, true)
            answered.fulfill()
        }
        XCTAssertEqual(try server.takeRequest().path, "/v1/books")
        wait(for: [answered], timeout: 30)
    }
}
