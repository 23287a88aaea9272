import FirewheelAlamofire
import FirewheelTesting
import Testing

struct User: Codable, Sendable, Equatable { var name: String }

/// A value that a handler sets once.
func delivered<Value>(_ start: (@escaping @Sendable (sending Value) -> Void) -> Void) async -> Value {
    await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
}

/// Waits for a condition; records an issue after a minute.
func waitUntil(_ what: String, _ condition: () -> Bool) async throws {
    for _ in 0..<12_000 {
        if condition() { return }
        try await Task.sleep(nanoseconds: 5_000_000)
    }
    Issue.record("waited in vain for \(what)")
}

/// A list that closures on any thread append to.
final class Journal<Element: Sendable>: @unchecked Sendable {
    // Sound because the list is accessed only under the lock.
    private let lock = NSLock()
    private var list: [Element] = []

    var elements: [Element] { lock.withLock { list } }
    func add(_ element: Element) { lock.withLock { list.append(element) } }
}

extension MockServer {
    /// A server that answers `/user` with JSON, `/status/N` with that status, `/redirect` with a redirect to `/user`, `/echo` with the
    /// request's line, fields and body, and `/slow` never.
    static func usual() throws -> MockServer {
        let server = try MockServer()
        server.route("/user") { _ in .json(#"{"name":"Ada"}"#) }
        server.route("/status/*") { MockResponse(status: Int($0.target.split(separator: "/").last ?? "") ?? 500) }
        server.route("/redirect") { _ in MockResponse(status: 302, headers: [("Location", "/user")]) }
        server.route("/echo*") { request in
            let fields = request.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
            let body = String(decoding: request.body, as: UTF8.self)
            return .text("\(request.method) \(request.target)\n\(fields)\n\n\(body)")
        }
        return server
    }
}
