import Foundation

/// What the server is told to answer: routes and the queue. A plain value; the server keeps it in its lock.
struct MockScript {
    typealias Handler = @Sendable (RecordedRequest) -> MockResponse

    struct Route {
        let path: String
        let method: String?
        let beforeBody: Bool
        let handler: Handler

        func matches(method: String, path: String) -> Bool {
            if let wanted = self.method, wanted != method { return false }
            return self.path.hasSuffix("*") ? path.hasPrefix(self.path.dropLast()) : path == self.path
        }
    }

    /// Who answers a request. The handler is a user's code, so it is called when the lock is free again.
    enum Answer {
        case handler(Handler)
        case response(MockResponse)
        case nobody
    }

    private var routes: [Route] = []
    private var queue: [MockResponse] = []

    mutating func add(_ route: Route) { routes.append(route) }

    mutating func enqueue(_ responses: [MockResponse]) { queue += responses }

    /// Takes the answer for a request whose body has not been read, if there is one that does not want to wait for it.
    mutating func takeEarly(method: String, path: String) -> Answer {
        if let route = route(method: method, path: path) {
            return route.beforeBody ? .handler(route.handler) : .nobody
        }
        guard let next = queue.first, next.answersBeforeBody || next.fault == .resetBeforeReading else { return .nobody }
        return .response(queue.removeFirst())
    }

    /// Takes the answer for a request that has been read.
    mutating func take(method: String, path: String) -> Answer {
        if let route = route(method: method, path: path) { return .handler(route.handler) }
        return queue.isEmpty ? .nobody : .response(queue.removeFirst())
    }

    /// The latest registered wins, so that a test can replace what its set-up registered.
    private func route(method: String, path: String) -> Route? {
        routes.last { $0.matches(method: method, path: path) }
    }
}
