import Foundation

/// The configured routes and queued responses. A plain value, kept under the server's lock.
struct MockScript {
    typealias Handler = @Sendable (RecordedRequest) -> MockResponse
    typealias Exchange = @Sendable (MockExchange) throws -> Void

    /// Who responds to a route's requests.
    enum Responder {
        case handler(Handler, beforeBody: Bool)
        case exchange(Exchange)
    }

    struct Route {
        let path: String
        let method: String?
        let responder: Responder

        func matches(method: String, path: String) -> Bool {
            if let wanted = self.method, wanted != method { return false }
            return self.path.hasSuffix("*") ? path.hasPrefix(self.path.dropLast()) : path == self.path
        }
    }

    /// The source of a response. The handler is the user's code, so it is called outside the lock.
    enum Answer {
        case handler(Handler)
        case response(MockResponse)
        case nobody
    }

    private var routes: [Route] = []
    private var queue: [MockResponse] = []

    mutating func add(_ route: Route) { routes.append(route) }

    mutating func enqueue(_ responses: [MockResponse]) { queue += responses }

    /// Takes the response for a request whose body has not been read, if there is one that does not wait for it.
    mutating func takeEarly(method: String, path: String) -> Answer {
        if let route = route(method: method, path: path) {
            if case .handler(let handler, beforeBody: true) = route.responder { return .handler(handler) }
            return .nobody
        }
        guard let next = queue.first, next.answersBeforeBody || next.fault == .resetBeforeReading else { return .nobody }
        return .response(queue.removeFirst())
    }

    /// The code that takes over the exchange of a request whose body has not been read.
    func exchange(method: String, path: String) -> Exchange? {
        if case .exchange(let exchange) = route(method: method, path: path)?.responder { exchange } else { nil }
    }

    /// Takes the response for a complete request.
    mutating func take(method: String, path: String) -> Answer {
        if case .handler(let handler, _) = route(method: method, path: path)?.responder { return .handler(handler) }
        return queue.isEmpty ? .nobody : .response(queue.removeFirst())
    }

    /// The route registered last wins, so that a test can override its set-up.
    private func route(method: String, path: String) -> Route? {
        routes.last { $0.matches(method: method, path: path) }
    }
}
