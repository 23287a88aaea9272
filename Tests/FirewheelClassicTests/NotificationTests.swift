import FirewheelClassic
import FirewheelTesting
import Testing

/// The notifications `Notification.Name.Task`.
@Suite("Alamofire 4's notifications", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct NotificationTests {
    private struct Seen: Sendable {
        let name: Notification.Name
        let request: Request?
        let task: RequestTask?
        let data: Data?
    }

    /// Collects the notifications of one request until it has ended.
    private func seen(of request: Request, while run: () async throws -> Void) async throws -> [Seen] {
        let (stream, continuation) = AsyncStream<Seen>.makeStream()
        let names = [
            Notification.Name.Task.DidResume, Notification.Name.Task.DidSuspend, Notification.Name.Task.DidCancel,
            Notification.Name.Task.DidComplete,
        ]
        let observers = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                guard let task = notification.userInfo?[Notification.Key.Task] as? RequestTask, task.taskIdentifier == request.id else {
                    return
                }
                continuation.yield(
                    Seen(
                        name: name, request: notification.object as? Request, task: task,
                        data: notification.userInfo?[Notification.Key.ResponseData] as? Data))
            }
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        try await run()
        var all: [Seen] = []
        for await notification in stream {
            all.append(notification)
            if notification.name == Notification.Name.Task.DidComplete { break }
        }
        return all
    }

    @Test("A request posts DidResume and DidComplete, with itself, its task and the response's data")
    func completion() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("hello"))
        let manager = SessionManager()
        manager.postsTaskNotifications = true
        let request = manager.request(server.url())
        let posted = try await seen(of: request) { _ = await request.serializingString().response }
        #expect(posted.map(\.name) == [Notification.Name.Task.DidResume, Notification.Name.Task.DidComplete])
        #expect(posted.allSatisfy { $0.request === request })
        #expect(posted.first?.data == nil && posted.last?.data == Data("hello".utf8))
        #expect(posted.last?.task?.originalRequest?.url?.absoluteString == server.url())
        #expect((posted.last?.task?.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(Notification.Name.Task.DidResume.rawValue == "org.alamofire.notification.name.task.didResume")
        #expect(Notification.Key.Task == "org.alamofire.notification.key.task")
    }

    @Test("Suspending and cancelling post their notifications, in order")
    func suspension() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.failure(.noAnswer))
        let manager = SessionManager()
        manager.postsTaskNotifications = true
        let request = manager.request(server.url())
        let posted = try await seen(of: request) {
            request.resume()
            request.suspend()
            request.resume()
            request.cancel()
        }
        #expect(
            posted.map(\.name) == [
                Notification.Name.Task.DidResume, Notification.Name.Task.DidSuspend, Notification.Name.Task.DidResume,
                Notification.Name.Task.DidCancel, Notification.Name.Task.DidComplete,
            ])
        #expect(posted.last?.data == nil)
    }

    @Test("A program counts running requests with notifications")
    func counter() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("hello"))
        let manager = SessionManager()
        manager.postsTaskNotifications = true
        let counter = ActivityCounter()
        let (completions, continuation) = AsyncStream<Void>.makeStream()
        counter.start { continuation.yield() }
        #expect(await manager.request(server.url()).serializingString().result.value == "hello")
        // Requests of other tests may be counted as well.
        for await _ in completions { break }
        counter.stop()
    }

    @Test("Without postsTaskNotifications nothing is posted, and task is nil before the start")
    func off() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("hello") }
        let silent = SessionManager()
        let request = silent.request(server.url())
        #expect(request.task == nil)
        let loud = SessionManager()
        loud.postsTaskNotifications = true
        let last = loud.request(server.url())
        let posted = try await seen(of: last) {
            _ = await request.serializingString().response
            _ = await last.serializingString().response
        }
        #expect(posted.count == 2)
        #expect((request.task?.response as? HTTPURLResponse)?.statusCode == 200 && request.task?.originalRequest != nil)
    }

    @Test("A task prints without the secrets of its request and response")
    func printed() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("hello", headers: [("Set-Cookie", "a=secret")]))
        let request = SessionManager.default.request(server.url("/x?token=secret"), headers: ["Authorization": "secret"])
        _ = await request.serializingString().response
        let task = try #require(request.task)
        var dumped = ""
        dump(task, to: &dumped)
        #expect("\(task)" == "task \(request.id) GET \(server.url("/x?token="))<redacted> (200)")
        #expect(!"\(dumped) \(["Task": task]) \(String(reflecting: task))".contains("secret"))
    }
}
