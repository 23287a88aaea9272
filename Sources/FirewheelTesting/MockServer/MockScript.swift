import Foundation

/// The configured routes and queued responses. A plain value, kept under the server's lock.
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
            return route.beforeBody ? .handler(route.handler) : .nobody
        }
        guard let next = queue.first, next.answersBeforeBody || next.fault == .resetBeforeReading else { return .nobody }
        return .response(queue.removeFirst())
    }

    /// Takes the response for a complete request.
    mutating func take(method: String, path: String) -> Answer {
        if let route = route(method: method, path: path) { return .handler(route.handler) }
        return queue.isEmpty ? .nobody : .response(queue.removeFirst())
    }

    /// The route registered last wins, so that a test can override its set-up.
    private func route(method: String, path: String) -> Route? {
        routes.last { $0.matches(method: method, path: path) }
    }
}
