import FirewheelClassic
import FirewheelTesting
import Testing

/// `queue:` as in Alamofire 4: a queue, an optional variable, nil, or left out.
@Suite("Optional queues of response handlers", .timeLimit(.minutes(5)))
struct QueueTests {
    private let own = Place.queue("own")

    @Test("Every handler of a data request runs on the queue it is given, and on the main queue for nil", arguments: ["main", "own"])
    func data(place: String) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.json("[1]"), .text(propertyList))
        let queue: DispatchQueue? = place == "main" ? nil : own
        var calls = await calls { calls, done in
            SessionManager.default.request(server.url())
                .response(queue: queue) { calls.add("response", $0.data) }
                .response(queue: queue, responseSerializer: DataRequest.stringResponseSerializer()) { calls.add("serializer", $0.result) }
                .responseData(queue: queue) { calls.add("data", $0.result) }
                .responseString(queue: queue, encoding: .utf8) { calls.add("string", $0.result) }
                .responseString(queue: queue) { response in calls.add("string", response.result) }
                .responseJSON(queue: queue, options: .allowFragments) { calls.add("json", $0.result) }
                .responseJSON(queue: queue) { response in
                    calls.add("json", response.result)
                    done()
                }
        }
        #expect(
            calls
                == [
                    "response 3 bytes", "serializer success(\"[1]\")", "data success(3 bytes)", "string success(\"[1]\")",
                    "string success(\"[1]\")", "json success([1])", "json success([1])",
                ].map { "\($0) \(place)" })
        calls = await self.calls { calls, done in
            SessionManager.default.request(server.url())
                .responsePropertyList(queue: queue, options: []) { calls.add("plist", $0.result) }
                .responsePropertyList(queue: queue) { response in
                    calls.add("plist", response.result)
                    done()
                }
        }
        #expect(calls == ["plist success([1]) \(place)", "plist success([1]) \(place)"])
        #expect(server.requestCount == 2)
    }

    @Test("Every handler of a download runs on the queue it is given, and on the main queue for nil", arguments: ["main", "own"])
    func downloads(place: String) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.json("[1]"), .text(propertyList))
        let queue: DispatchQueue? = place == "main" ? nil : own
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("firewheel-classic-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let destination: DownloadRequest.DownloadFileDestination = { _, _ in (file, [.removePreviousFile]) }
        var calls = await calls { calls, done in
            SessionManager.default.download(server.url(), to: destination)
                .response(queue: queue) { calls.add("response \($0.destinationURL == file)", $0.error) }
                .response(queue: queue, responseSerializer: DownloadRequest.stringResponseSerializer()) {
                    calls.add("serializer", $0.result)
                }
                .responseData(queue: queue) { calls.add("data", $0.result) }
                .responseString(queue: queue, encoding: .utf8) { calls.add("string", $0.result) }
                .responseJSON(queue: queue, options: []) { response in
                    calls.add("json", response.result)
                    done()
                }
        }
        #expect(
            calls
                == [
                    "response true nil", "serializer success(\"[1]\")", "data success(3 bytes)", "string success(\"[1]\")",
                    "json success([1])",
                ].map { "\($0) \(place)" })
        calls = await self.calls { calls, done in
            SessionManager.default.download(server.url(), to: destination).responsePropertyList(queue: queue) { response in
                calls.add("plist", response.result)
                done()
            }
        }
        #expect(calls == ["plist success([1]) \(place)"])
    }

    @Test("A handler's queue may be nil, .main, another queue, or left out")
    func spellings() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("hello"))
        let utilityQueue = own
        let all = DispatchGroup()
        for _ in 0..<6 { all.enter() }
        let calls = await calls { calls, done in
            SessionManager.default.request(server.url())
                .response(queue: nil) { response in calls.add("nil", response.error, then: all.leave) }
                .responseString(queue: .main) { response in calls.add(".main", response.result.error, then: all.leave) }
                .responseString(queue: utilityQueue) { response in calls.add("utility", response.result.error, then: all.leave) }
                .responseString(queue: .global(qos: .utility)) { response in calls.add("global", response.result.error, then: all.leave) }
                .responseData(queue: DispatchQueue.main) { response in calls.add("main", response.result.error, then: all.leave) }
                .responseString { response in calls.add("none", response.result.error, then: all.leave) }
            all.notify(queue: .global(), execute: done)
        }
        let expected = ["nil nil main", ".main nil main", "utility nil own", "global nil elsewhere", "main nil main", "none nil main"]
        #expect(calls.sorted() == expected.sorted())
    }

    private let propertyList = #"<plist version="1.0"><array><integer>1</integer></array></plist>"#

    private func calls(_ run: (Calls, @escaping @Sendable () -> Void) -> Void) async -> [String] {
        let calls = Calls()
        await withCheckedContinuation { continuation in run(calls) { continuation.resume() } }
        return calls.all
    }
}

/// The handler calls and their queues.
private final class Calls: Sendable {
    private let lock = NSLock()
    // Only touched while holding `lock`.
    private nonisolated(unsafe) var list: [String] = []

    var all: [String] { lock.withLock { list } }

    func add(_ name: String, _ value: Any?, then next: () -> Void = {}) {
        let text = "\(name) \(value.map { "\($0)" } ?? "nil") \(Place.current)"
        lock.withLock { list.append(text) }
        next()
    }
}
