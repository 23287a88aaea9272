import ExampleClient
import Firewheel
import FirewheelTesting

/// A library on the loopback interface: the API's routes, on a `MockServer`.
struct FakeLibrary {
    private let server: MockServer

    var url: URL? { URL(string: server.url("/v1")) }

    init() throws {
        server = try MockServer()
        server.route("/v1/books", method: "GET") { Self.page(for: $0) }
        server.route("/v1/books", method: "POST") { request in
            // The handler can inspect the client's request.
            .json(request.bodyText.replacingOccurrences(of: "{", with: #"{"id":9,"#), status: 201)
        }
        server.route("/v1/books/9", method: "GET") { _ in
            .json(#"{"error":{"code":"not_found","message":"There is no book 9."}}"#, status: 404)
        }
        server.route("/v1/books/9", method: "DELETE") { _ in .status(204) }
        // Requests without a route are answered from a queue, in order.
        server.enqueue(
            .text("Closed for lunch", status: 503, headers: ["Retry-After": "0"]),
            .text("reader,title\r\nAda,Orlando\r\nCharles,\"Emma, \"\"annotated\"\"\"\r\n", headers: ["Content-Type": "text/csv"]))
    }

    /// The requests since the last call.
    func newRequests() async -> String {
        var requests: [String] = []
        while let request = try? await server.takeRequest(timeout: 0) { requests.append("\(request.method) \(request.target)") }
        return requests.joined(separator: ", ")
    }

    func close() { server.shutdown() }

    // MARK: - The shelf

    private static let shelf = [
        ("Emma", "Jane Austen"), ("Middlemarch", "George Eliot"), ("Dracula", "Bram Stoker"), ("Orlando", "Virginia Woolf"),
        ("The Waves", "Virginia Woolf"), ("Kokoro", "Natsume Soseki"), ("Solaris", "Stanislaw Lem"), ("Beloved", "Toni Morrison"),
    ].enumerated().map { Book(id: $0.offset + 1, title: $0.element.0, author: $0.element.1) }

    /// A page of the shelf, with a link to the next one unless it is the last.
    private static func page(for request: RecordedRequest) -> MockResponse {
        let items = URLComponents(string: request.target)?.queryItems ?? []
        func number(_ name: String) -> Int? { items.first { $0.name == name }?.value.flatMap { Int($0) } }

        let (limit, first) = (number("limit") ?? 50, number("from") ?? 0)
        guard let body = try? JSONEncoder().encode(Array(shelf.dropFirst(first).prefix(limit))) else { return .status(500) }
        let response = MockResponse.json(String(decoding: body, as: UTF8.self))
        guard first + limit < shelf.count else { return response }
        return response.header("Link", "<books?limit=\(limit)&from=\(first + limit)>; rel=\"next\"")
    }
}
