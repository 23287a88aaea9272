import ExampleClient
import Firewheel
import FirewheelTesting
import Testing

@MainActor
@Suite("Book list model")
struct BookListModelTests {
    private let emma = Book(id: 1, title: "Emma", author: "Jane Austen")
    private let json = #"[{"id":1,"title":"Emma","author":"Jane Austen"}]"#
    let server: MockServer
    let model: BookListModel

    init() throws {
        server = try MockServer()
        model = BookListModel(books: Books(session: Books.session(for: URL(string: server.url()))))
    }

    @Test("The book list loads, and then shows the books")
    func load() async throws {
        server.enqueue(.json(json))
        #expect(model.state == .idle)
        model.load()
        #expect(model.state == .loading)
        await model.finishLoading()
        #expect(model.state == .loaded([emma]))
    }

    @Test("The book list shows the API's message when a request is refused")
    func refusal() async throws {
        server.enqueue(.json(#"{"error":{"code":"closed","message":"We open at nine."}}"#, status: 403))
        model.load()
        await model.finishLoading()
        #expect(model.state == .failed(message: "We open at nine."))
    }

    @Test("Cancelling the book list ends its request, and leaves nothing to show")
    func cancel() async throws {
        server.enqueue(.failure(.noAnswer))
        model.load()
        // The request has reached the server, and cancelling it closes its connection.
        _ = try await server.takeRequest()
        model.cancel()
        #expect(model.state == .idle)
        #expect(await server.waitForOpenConnections(0))
        #expect(model.state == .idle)
    }

    @Test("Of two loads of the book list only the later one takes effect")
    func twice() async throws {
        server.enqueue(.failure(.noAnswer))
        model.load()
        _ = try await server.takeRequest()
        server.enqueue(.json(json))
        model.load()
        await model.finishLoading()
        #expect(model.state == .loaded([emma]))
    }
}
