import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("Notifications of requests", .timeLimit(.minutes(2)))
struct NotificationTests {
    private let sessions = SessionKeeper()

    /// Collects the notifications of one request, on the main queue.
    private final class Observer: @unchecked Sendable {
        // Sound because everything that changes is only accessed on the main queue.
        private var names: [Notification.Name] = []
        private var tokens: [any NSObjectProtocol] = []

        @MainActor
        init(of request: Request, _ observed: [Notification.Name]) {
            tokens = observed.map { name in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self, weak request] notification in
                    dispatchPrecondition(condition: .onQueue(.main))
                    guard let request, notification.request == request else { return }
                    self?.names.append(name)
                }
            }
        }

        @MainActor
        func finish() -> [Notification.Name] {
            for token in tokens { NotificationCenter.default.removeObserver(token) }
            return names
        }
    }

    private static let all = [
        Request.didResumeNotification, Request.didSuspendNotification, Request.didCancelNotification, Request.didFinishNotification,
        Request.didResumeTaskNotification, Request.didSuspendTaskNotification, Request.didCancelTaskNotification,
        Request.didCompleteTaskNotification,
    ]

    /// Waits for the handler on the main queue, where all earlier notifications were posted.
    @MainActor
    private func end(of request: DataRequest) async {
        await withCheckedContinuation { continuation in
            request.response(queue: .main) { _ in continuation.resume() }
        }
    }

    @MainActor
    @Test func ofASuccess() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"))
        let request = sessions.keep(Session()).request(server.url())
        let observer = Observer(of: request, Self.all)
        await end(of: request)
        #expect(
            observer.finish() == [
                Request.didResumeNotification, Request.didResumeTaskNotification, Request.didCompleteTaskNotification,
                Request.didFinishNotification,
            ])
        server.shutdown()
    }

    @MainActor
    @Test func ofASuspensionAndACancel() async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in _ = exchange.waitForDisconnection() }
        let request = sessions.keep(Session()).request(server.url())
        let observer = Observer(of: request, Self.all)
        request.resume()
        #expect(await server.waitForRequests(1))
        request.suspend().cancel()
        await end(of: request)
        #expect(
            observer.finish() == [
                Request.didResumeNotification, Request.didResumeTaskNotification, Request.didSuspendNotification,
                Request.didSuspendTaskNotification, Request.didCancelNotification, Request.didCancelTaskNotification,
                Request.didCompleteTaskNotification, Request.didFinishNotification,
            ])
        server.shutdown()
    }

    @MainActor
    @Test func areThereBesideOtherMonitorsAndNotWithoutTheirOwn() async throws {
        let server = try MockServer()
        server.enqueue(.text("hello"), .text("hello"))
        let (both, neither) = (
            sessions.keep(Session(eventMonitors: [MonitorRecorder(), AlamofireNotifications()])), sessions.keep(Session(eventMonitors: []))
        )
        for (session, count) in [(both, 4), (neither, 0)] {
            let request = session.request(server.url())
            let observer = Observer(of: request, Self.all)
            await end(of: request)
            #expect(observer.finish().count == count)
        }
        server.shutdown()
    }

    @Test func otherNotificationsHaveNoRequest() {
        #expect(Notification(name: Request.didResumeNotification).request == nil)
        #expect(Notification(name: Notification.Name("other"), userInfo: ["request": 1]).request == nil)
    }
}
