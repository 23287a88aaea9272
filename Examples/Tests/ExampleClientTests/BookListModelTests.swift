import ExampleClient
import Firewheel
import FirewheelTesting
import Testing

@MainActor
@Suite("The model of the list of books")
struct BookListModelTests {
    private let emma = Book(id: 1, title: "Emma", author: "Jane Austen")
    private let json = #"[{"id":1,"title":"Emma","author":"Jane Austen"}]"#
    let server: MockServer
    let model: BookListModel

    init() throws {
        server = try MockServer()
        model = BookListModel(books: Books(session: Books.session(for: URL(string: server.url()))))
    }

    @Test("It loads, and then shows the books")
    func load() async throws {
        server.enqueue(.json(json))
        #expect(model.state == .idle)
        model.load()
        #expect(model.state == .loading)
        await model.finishLoading()
        #expect(model.state == .loaded([emma]))
    }

    @Test("It shows what the library says when it refuses")
    func refusal() async throws {
        server.enqueue(.json(#"{"error":{"code":"closed","message":"We open at nine."}}"#, status: 403))
        model.load()
        await model.finishLoading()
        #expect(model.state == .failed(message: "We open at nine."))
    }

    @Test("Cancelling ends the request too, and leaves nothing to show")
    func cancel() async throws {
        server.enqueue(.failure(.noAnswer))
        model.load()
        // The request is under way for certain, and its connection is closed when it is cancelled.
        _ = try await server.takeRequest()
        model.cancel()
        #expect(model.state == .idle)
        #expect(await server.waitForOpenConnections(0))
        #expect(model.state == .idle)
    }

    @Test("Of two loads the later one counts")
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
